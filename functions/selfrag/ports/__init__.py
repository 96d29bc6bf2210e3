"""What selfrag needs of the world, as Protocols, and what is written against them alone."""
