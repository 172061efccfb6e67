# One run of Chatranon 2004's tests of unresponsive flows under RED in ns-2, for tests/peers/witness.py:
#     ns unresponsive.tcl udps=1 udp=5Mb seed=3 ...
# Settings are key=value (below, with their defaults); the result is one line of JSON on stdout. ns-2 has none of the thesis's other queues.
#
# udps, udp        UDP flows, and what each sends; with on and off above 0 in bursts that last so many seconds in the mean
# tcp, delayed     TCP's recovery (Tahoe, Reno, Newreno, Sack1), and whether receivers acknowledge every second packet
# tick, minrto     TCP's clock and least timeout, s
# access           delay of each access link, both sides
# window           TCP's largest window, packets
# precise  1: half of a window of 13 packets is 6.5, as in ns-2 since January 2006; 0: it is 6
# also     further variables of ns-2's classes: Agent/TCP:singledup_:0,Queue/RED:mean_pktsize_:500
#
# UDP, TCP         throughput of a flow behind the bottleneck, bit/s, in the mean over the flows of its kind
# Jain, UDP-Jain   Jain's index of TCP's and of UDP's flows
# use              use of the bottleneck

array set setting {
	udps 1 udp 5Mb on 0 off 0 tcps 100 tcp Newreno delayed 0 tick 0.1 minrto 1 window 1000
	rate 5Mb delay 10ms access 10ms limit 300 min 50 max 150 max_p 0.1 gentle 1 wait 1 w_q -1 mean 1000
	duration 200 from 50 seed 1 precise 0 also ""
}
foreach argument $argv {
	lassign [split $argument =] key value
	if {![info exists setting($key)]} { puts stderr "unresponsive.tcl: there is no setting '$key'"; exit 2 }
	set setting($key) $value
}
remove-all-packet-headers
add-packet-header IP TCP Flags RTP

Agent/TCP set minrto_ $setting(minrto)
Agent/TCP set precisionReduce_ $setting(precise)
Agent/TCP set tcpTick_ $setting(tick)
Agent/TCP set rtxcur_init_ 6.0
Agent/TCP set useHeaders_ false
Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ false
Queue/RED set thresh_ $setting(min)
Queue/RED set maxthresh_ $setting(max)
Queue/RED set linterm_ [expr 1.0 / $setting(max_p)]
Queue/RED set gentle_ $setting(gentle)
Queue/RED set wait_ $setting(wait)
Queue/RED set q_weight_ $setting(w_q)
Queue/RED set mean_pktsize_ $setting(mean)

foreach one [split $setting(also) ,] {
	lassign [split $one :] class variable value
	$class set $variable $value
}

set ns [new Simulator]
set starts [new RNG]
for {set i 0} {$i < $setting(seed)} {incr i} { $defaultRNG next-substream; $starts next-substream }

set near [$ns node]
set far [$ns node]
$ns duplex-link $near $far $setting(rate) $setting(delay) RED
foreach {from to} [list $near $far $far $near] { $ns queue-limit $from $to $setting(limit) }

proc host router {
	global ns setting
	set made [$ns node]
	$ns duplex-link $made $router 100Mb $setting(access) DropTail
	$ns queue-limit $made $router 100000
	$ns queue-limit $router $made 100000
	return $made
}
# Flows are told apart by their number: TCP's come first.
set number 0
proc start {from to sender sink application} {
	global ns starts number
	$ns attach-agent $from $sender
	$ns attach-agent $to $sink
	$ns connect $sender $sink
	$sender set fid_ $number
	incr number
	$application attach-agent $sender
	$ns at [$starts uniform 0 1] "$application start"
}
for {set i 0} {$i < 10} {incr i} {
	set sources($i) [host $near]
	set sinks($i) [host $far]
}
set sender [expr {$setting(tcp) == "Tahoe" ? "Agent/TCP" : "Agent/TCP/$setting(tcp)"}]
set receiver [expr {$setting(tcp) == "Sack1" ? "Agent/TCPSink/Sack1" : "Agent/TCPSink"}]
if {$setting(delayed)} { append receiver /DelAck }
for {set i 0} {$i < $setting(tcps)} {incr i} {
	set tcp [new $sender]
	$tcp set window_ $setting(window)
	$tcp set packetSize_ 1000
	start $sources([expr $i % 10]) $sinks([expr $i % 10]) $tcp [new $receiver] [new Application/FTP]
}
for {set i 0} {$i < $setting(udps)} {incr i} {
	set udp [new Agent/UDP]
	$udp set packetSize_ 1000
	set traffic [new Application/Traffic/[expr {$setting(on) > 0 ? "Exponential" : "CBR"}]]
	$traffic set packetSize_ 1000
	$traffic set rate_ $setting(udp)
	if {$setting(on) > 0} {
		$traffic set burst_time_ $setting(on)s
		$traffic set idle_time_ $setting(off)s
	}
	start [host $near] [host $far] $udp [new Agent/Null] $traffic
}

set monitor [$ns makeflowmon Fid]
$ns attach-fmon [$ns link $near $far] $monitor
proc sent {} {
	global monitor number
	set found [lrepeat $number 0.0]
	foreach flow [$monitor flows] { lset found [$flow set flowid_] [$flow set bdepartures_] }
	return $found
}
proc begin {} { set ::before [sent] }
proc mean values { expr [::tcl::mathop::+ {*}$values] / double([llength $values]) }
proc jain values {
	set squares 0.0
	foreach value $values { set squares [expr $squares + $value * $value] }
	expr {$squares > 0 ? pow([::tcl::mathop::+ {*}$values], 2) / ([llength $values] * $squares) : 0.0}
}
proc finish {} {
	global before setting
	set rates {}
	foreach now [sent] then $before { lappend rates [expr 8.0 * ($now - $then) / ($setting(duration) - $setting(from))] }
	set tcp [lrange $rates 0 [expr $setting(tcps) - 1]]
	set udp [lrange $rates $setting(tcps) end]
	set all [::tcl::mathop::+ {*}$rates]
	set capacity [expr [string map {Mb e6 kb e3} $setting(rate)]]
	puts "{\"UDP\": [mean $udp], \"TCP\": [mean $tcp], \"Jain\": [jain $tcp], \"UDP-Jain\": [jain $udp], \"use\": [expr $all / $capacity]}"
	exit 0
}
$ns at $setting(from) begin
$ns at $setting(duration) finish
$ns run
