"""The inside of the emulator of AWS: ministack, with its errors put right, and its calls decided by roles."""
