"""A line from measurements of it: files of Flent, iperf3, speed tests, pings and captures."""
