"""AWS on the laptop: the interpreter of the definition, the stack around it, and what is kept between commands."""
