"""What lets moto begin in less time than it takes by itself, and keep its size however long it runs."""
