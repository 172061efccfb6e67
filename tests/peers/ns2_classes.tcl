# One run of ns-2's CBQ, CBQ/WRR, FQ or diffserv (dsRED/edge), for classes.py:    ns ns2_classes.tcl spec=FILE seed=3 [trace=FILE]
# The file says what is run, a line for each thing; the result is one line of JSON on stdout: of each group of flows
#   bps          bits per second that left the queue
#   loss         drops over arrivals
#   wait         ms from arrival to departure, in the mean (integral of the packets waiting over the departures)
# and of all together `queue`, the mean number of packets waiting. All from warmup on; the packet in transmission does not wait.
#
# Lines, with times in ms, rates in kbit/s, sizes in bytes:
#   run KIND rate limit duration_s warmup_s           KIND: CBQ, CBQ/WRR, FQ, dsRED/edge; limit of dsRED in packets, of FQ for each flow
#   algorithm NAME                                    of CBQ: ancestor-only, top-level, formal
#   class NAME share lender borrow rank max_idle level limit     of CBQ: lender none for the root; limit - for one without packets
#   precedences MODE count                            of dsRED: RIO-C, RIO-D, WRED
#   precedence NUMBER min max max_p w_q
#   group NAME kind count delay spread rate packet on off class meter...     kind: cbr (jittered), tcp (SACK; rate is its window in packets),
#                                                     on_off (exponential, with these mean times)
# Each flow has hosts of its own; the four links to them have `delay`, from (1 - spread) to (1 + spread) times it over the group, and the
# link between the routers 5 ms. `meter` is that of dsRED, with rates in bit/s: `Null CODE`, `TokenBucket 10 cir cbs` ...; - for none.

source [file join [file dirname [info script]] ns2_defaults.tcl]

array set setting {spec "" seed 1 trace ""}
foreach argument $argv {
	set pair [split $argument =]
	if {[llength $pair] != 2 || ![info exists setting([lindex $pair 0])]} {
		puts stderr "ns2_classes.tcl: cannot read '$argument'"
		exit 2
	}
	set setting([lindex $pair 0]) [lindex $pair 1]
}

set ns [new Simulator]
set starts [new RNG]
for {set i 0} {$i < $setting(seed)} {incr i} {
	$defaultRNG next-substream
	$starts next-substream
}
set left [$ns node]
set right [$ns node]
set next_flow 0
set group_of {}
set groups {}

# The link between the routers, and a monitor of each flow before and behind its queue.
proc run {type rate limit until from} {
	global ns left right kind queue link flowmon drops_at duration warmup per_flow
	set kind $type
	set duration $until
	set warmup $from
	set per_flow $limit
	$ns simplex-link $left $right ${rate}kb 5ms $type
	$ns simplex-link $right $left 1000Mb 5ms DropTail
	$ns queue-limit $left $right [expr {$type == "FQ" ? 100000 : $limit}]
	$ns queue-limit $right $left 100000
	set link [$ns link $left $right]
	set queue [$link queue]
	set flowmon [new QueueMonitor/ED/Flowmon]
	set classifier [new Classifier/Hash/Fid 64]
	$classifier proc unknown-flow {source target flow} {
		set monitor [new QueueMonitor/ED/Flow]
		$monitor set-pkts-integrator [new Integrator]
		$self set-hash auto $source $target $flow [$self installNext $monitor]
	}
	$classifier proc no-slot slot {}
	$flowmon classifier $classifier
	set drops_at [new SnoopQueue/Drop]
	$link attach-monitors [new SnoopQueue/In] [new SnoopQueue/Out] $drops_at $flowmon
	if {$type == "dsRED/edge"} {
		$queue set numQueues_ 1
		$queue meanPktSize 1000
	}
}

# As ns-2's, with a limit for each flow and a monitor that hears of drops.
FQLink instproc new-flow {source target flow} {
	global drops_at per_flow
	$self instvar classifier_ queue_
	set own [new Queue/DropTail]
	$own set limit_ $per_flow
	$own drop-target $drops_at
	$classifier_ set-hash auto $source $target $flow [$classifier_ installNext $own]
	$own target $queue_
	$queue_ install $flow $own
}

proc algorithm name { $::queue algorithm $name }

proc class {name share lender borrow rank max_idle level limit} {
	global link classes
	set made [new CBQClass]
	set lender [expr {$lender == "none" ? "none" : $classes($lender)}]
	$made setparams $lender $borrow $share [expr $max_idle / 1e3] $rank $level 0
	if {$limit != "-"} {
		set own [new Queue/DropTail]
		$own set limit_ $limit
		$made install-queue $own
	}
	$link insert $made
	set classes($name) $made
}

proc precedences {mode count} {
	$::queue setNumPrec $count
	$::queue setMREDMode $mode
	for {set number 0} {$number < $count} {incr number} { $::queue addPHBEntry [expr 10 + $number] 0 $number }
}
proc precedence {number min max max_p w_q} { $::queue configQ 0 $number $min $max $max_p $w_q }

proc group {name what count delay spread rate packet on off class args} {
	global ns left right starts next_flow group_of groups kind link classes
	lappend groups $name
	for {set i 0} {$i < $count} {incr i} {
		set hop [expr $delay * (1 + ($count > 1 ? $spread * (2.0 * $i / ($count - 1) - 1) : 0))]
		set from [$ns node]
		set to [$ns node]
		foreach {one other} [list $from $left $right $to] {
			$ns duplex-link $one $other 1000Mb ${hop}ms DropTail
			$ns queue-limit $one $other 100000
			$ns queue-limit $other $one 100000
		}
		if {[string match CBQ* $kind]} { $link bind $classes($class) $next_flow }
		if {$kind == "dsRED/edge"} { meter $from $to $args }
		lappend group_of $name
		send $what $from $to $rate $packet $on $off
		incr next_flow
	}
}

proc meter {from to agreement} {
	global queue
	foreach {type code} $agreement break
	eval [list $queue addPolicyEntry [$from id] [$to id]] $agreement
	if {$type == "Null"} {
		$queue addPolicerEntry Null $code
	} elseif {$type == "srTCM" || $type == "trTCM"} {
		$queue addPolicerEntry $type 10 11 12
	} else {
		$queue addPolicerEntry $type 10 11
	}
}

proc send {what from to rate packet on off} {
	global ns starts next_flow
	set at [$starts uniform 0 1]
	if {$what == "tcp"} {
		set tcp [$ns create-connection TCP/Sack1 $from TCPSink/Sack1 $to $next_flow]
		$tcp set window_ $rate
		$tcp set packetSize_ [expr $packet - 40]
		$ns at $at "[$tcp attach-app FTP] start"
		return
	}
	set udp [$ns create-connection UDP $from Null $to $next_flow]
	$udp set packetSize_ $packet
	if {$what == "on_off"} {
		set app [new Application/Traffic/Exponential]
		$app set burst_time_ ${on}ms
		$app set idle_time_ ${off}ms
	} else {
		set app [new Application/Traffic/CBR]
		$app set random_ 1
	}
	$app set packetSize_ $packet
	$app set rate_ ${rate}kb
	$app attach-agent $udp
	$ns at $at "$app start"
}

proc readings flow {
	set waiting [$flow get-pkts-integrator]
	$waiting newpoint [$::ns now] [$waiting set lasty_]
	set found {}
	foreach count {parrivals_ pdrops_ pdepartures_ bdepartures_} { lappend found [$flow set $count] }
	return [lappend found [$waiting set sum_]]
}
proc begin {} {
	global flowmon before
	foreach flow [$flowmon flows] { set before($flow) [readings $flow] }
}
proc finish {} {
	global flowmon before group_of groups duration warmup
	foreach flow [$flowmon flows] {
		if {![info exists before($flow)]} { set before($flow) {0 0 0 0 0} }
		set name [lindex $group_of [$flow set flowid_]]
		foreach now [readings $flow] then $before($flow) count {arrivals drops departures bytes waiting} {
			if {![info exists sum($name,$count)]} { set sum($name,$count) 0 }
			set sum($name,$count) [expr $sum($name,$count) + $now - $then]
		}
	}
	set span [expr double($duration - $warmup)]
	set all 0
	foreach name $groups {
		set all [expr $all + $sum($name,waiting)]
		lappend fields [format {"%s.bps": %.9g, "%s.loss": %.9g, "%s.wait": %.9g} \
			$name [expr 8 * $sum($name,bytes) / $span] $name [expr double($sum($name,drops)) / $sum($name,arrivals)] \
			$name [expr 1e3 * $sum($name,waiting) / $sum($name,departures)]]
	}
	puts "{[join $fields {, }], [format {"queue": %.9g} [expr $all / $span]]}"
	exit 0
}

set spec [open $setting(spec)]
while {[gets $spec line] >= 0} { eval $line }
if {$setting(trace) != ""} { $ns trace-queue $left $right [open $setting(trace) w] }
$ns at $warmup begin
$ns at $duration finish
$ns run
