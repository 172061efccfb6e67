# One run of ns-2's filter before RED (Queue/RED/PD, monitor-flow), for red_filter.py:    ns ns2_red_filter.tcl p=0.1 seed=3 ...
# Settings are key=value (below, with their defaults); the result is one line of JSON on stdout.
#
# `flows` SACK senders and `blasts` sources of `blast_kbit` without control share a dumbbell as ns2_dumbbell.tcl has it, here of ordinary
# nodes. From `warmup` on the first flow of `filtered` (tcp or udp) is filtered with probability p; unresponsive=1 says so of it.
#   loss         drops over arrivals from warmup on, the filter's among them
#   share        bytes of the filtered flow over those of all, where they leave the queue
#   own_loss     drops of the filtered flow over its arrivals

source [file join [file dirname [info script]] ns2_defaults.tcl]

array set setting {
	flows 8 blasts 0 blast_kbit 800 filtered tcp p 0.05 unresponsive 0 noidle 0
	rate_mbit 4 access_mbit 100 rtt_ms 60 rtt_spread 0.2 limit 100 min 10 max 30 max_p 0.1 w_q 0.002 wait 1
	packet 1000 start_spread 1 duration 100 warmup 20 seed 1
}
foreach argument $argv {
	set pair [split $argument =]
	if {[llength $pair] != 2 || ![info exists setting([lindex $pair 0])]} {
		puts stderr "ns2_red_filter.tcl: cannot read '$argument'"
		exit 2
	}
	set setting([lindex $pair 0]) [lindex $pair 1]
}
Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ false

set ns [new Simulator]
set starts [new RNG]
for {set i 0} {$i < $setting(seed)} {incr i} {
	$defaultRNG next-substream
	$starts next-substream
}
set left [$ns node]
set right [$ns node]
$ns simplex-link $left $right $setting(rate_mbit)Mb [expr $setting(rtt_ms) / 4.0]ms RED/PD
$ns simplex-link $right $left $setting(rate_mbit)Mb [expr $setting(rtt_ms) / 4.0]ms DropTail
$ns queue-limit $left $right $setting(limit)
$ns queue-limit $right $left 100000
set link [$ns link $left $right]
set queue [$link queue]
foreach {key value} [list thresh_ $setting(min) maxthresh_ $setting(max) linterm_ [expr 1.0 / $setting(max_p)] q_weight_ $setting(w_q) \
		gentle_ true wait_ $setting(wait) mean_pktsize_ $setting(packet) noidle_ $setting(noidle)] {
	$queue set $key $value
}
set flowmon [$queue makeflowmon $link Fid]

# A pair of hosts for each flow: its round-trip time runs evenly around rtt.
proc hosts {number of} {
	global ns setting left right
	set spread [expr $of > 1 ? $setting(rtt_spread) * (2.0 * $number / ($of - 1) - 1) : 0]
	set hop [expr $setting(rtt_ms) * (1 + $spread - 0.5) / 4.0]
	set from [$ns node]
	set to [$ns node]
	foreach {one other} [list $from $left $right $to] {
		$ns duplex-link $one $other $setting(access_mbit)Mb ${hop}ms DropTail
		$ns queue-limit $one $other 100000
		$ns queue-limit $other $one 100000
	}
	return [list $from $to]
}
for {set i 0} {$i < $setting(flows)} {incr i} {
	foreach {from to} [hosts $i $setting(flows)] {}
	set tcp [$ns create-connection TCP/Sack1 $from TCPSink/Sack1 $to $i]
	$tcp set window_ 1000
	$tcp set packetSize_ [expr $setting(packet) - 40]
	$ns at [$starts uniform 0 $setting(start_spread)] "[$tcp attach-app FTP] start"
}
for {set i 0} {$i < $setting(blasts)} {incr i} {
	foreach {from to} [hosts $i $setting(blasts)] {}
	set udp [$ns create-connection UDP $from Null $to [expr $setting(flows) + $i]]
	$udp set packetSize_ $setting(packet)
	set cbr [$udp attach-app Traffic/CBR]
	$cbr set packetSize_ $setting(packet)
	$cbr set rate_ [expr $setting(blast_kbit) * 1e3]
	$cbr set random_ 0.5
	$ns at [$starts uniform 0 $setting(start_spread)] "$cbr start"
}
set named [expr {$setting(filtered) == "tcp" ? 0 : $setting(flows)}]

proc begin {} {
	global flowmon queue setting named before
	foreach flow [$flowmon flows] {
		if {[$flow set flowid_] == $named} {
			$queue monitor-flow $flow $setting(p)
			if {$setting(unresponsive)} { $queue unresponsive-flow $flow }
		}
		foreach count {parrivals_ pdrops_ bdepartures_} { set before($flow,$count) [$flow set $count] }
	}
}
proc since {flow count} {
	global before
	return [expr [$flow set $count] - $before($flow,$count)]
}
proc finish {} {
	global flowmon setting named before
	foreach sum {arrivals drops bytes mine_arrivals mine_drops mine_bytes} { set $sum 0 }
	foreach flow [$flowmon flows] {
		incr arrivals [since $flow parrivals_]
		incr drops [since $flow pdrops_]
		incr bytes [since $flow bdepartures_]
		if {[$flow set flowid_] == $named} {
			incr mine_arrivals [since $flow parrivals_]
			incr mine_drops [since $flow pdrops_]
			incr mine_bytes [since $flow bdepartures_]
		}
	}
	puts [format {{"loss": %.6g, "share": %.6g, "own_loss": %.6g}} [expr double($drops) / $arrivals] \
		[expr double($mine_bytes) / $bytes] [expr double($mine_drops) / $mine_arrivals]]
	exit 0
}
$ns at $setting(warmup) begin
$ns at $setting(duration) finish
$ns run
