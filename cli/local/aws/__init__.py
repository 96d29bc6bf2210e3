"""AWS on the laptop: the interpreter of the definition, the stack around it, and what is kept between commands."""

from cli.local.aws.lighter.later import load_later

load_later("moto.batch")
