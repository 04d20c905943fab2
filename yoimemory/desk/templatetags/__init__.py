"""What templates of every floor may ask of the whole house."""
