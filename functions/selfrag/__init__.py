"""What the reflection steps share. Deployed as a Lambda layer; imports no step."""
