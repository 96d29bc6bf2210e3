"""What runs inside the emulator of AWS: ministack, what it gets wrong put right, and its calls decided by roles."""
