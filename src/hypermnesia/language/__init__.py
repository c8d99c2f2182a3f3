"""What English texts say by their form: dates, and where one statement ends."""
