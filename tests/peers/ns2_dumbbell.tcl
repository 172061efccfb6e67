# One dumbbell run of ns-2, the oracle of the peer check:    ns ns2_dumbbell.tcl queue=red flows=20 seed=3 ...
# Settings are key=value (below, with their defaults); the result is one line of JSON on stdout.
#
#   source i --access--> router 1 ==bottleneck==> router 2 --access--> receiver i          (acknowledgements: the same way back)
#
# Several bottlenecks. With `hops` there are as many in a row, each with rtt/4 divided by them, the same rate and a queue under test of its own; all
# groups cross all of them, but `cross` SACK flows enter in front of each and leave behind it.
# Two ways. With `back` so many senders of the law under test send from right to left, and that direction has the queue under test, too.
#
# Delays. The base round-trip time of flow i, transmission times not counted, runs evenly from rtt (1 - rtt_spread) for flow 0 to
# rtt (1 + rtt_spread) for the last flow; rtt for a single flow. The bottleneck has rtt/4 in each direction, each of the flow's four
# access hops (RTT_i - rtt/2)/4. So with rtt_spread=0: rtt/4 + 2 rtt/8 each way.
# Queues. The queue under test is that of the bottleneck's forward direction; all others are DropTail of 100000 packets and never fill.
# Groups. `flows` senders of the law under test; `rivals` senders with SACK (or `rival_tcp`) and Reno's window; `udp_flows` sources without control (udp = cbr,
# exponential or pareto); and one connection for each line "start packets" of the file `transfers`. The rule of the delays holds for each group
# by itself, with rival_spread (0.7) times rtt_spread for the rivals, so that none has the round-trip time of another, 0.6 times for `back` and 0.85 times for `cross`;
# transfers all have that of a single flow.
# `sessions` are those of ns-2's web traffic, PagePool/WebTraf, which draws everything itself: pages of one object each, whose size is Pareto
# with mean object_packets and shape object_shape, rounded up to packets, and exponential times of mean `think` between a page and the next;
# sessions begin at uniform times in [0, think). Each object has a new connection like a transfer's. What PagePool does besides is left out: the
# request, which is one packet over a connection of its own and would delay each object by two round trips.
# Starts. Flow i sends its SYN at the i-th draw of a uniform number in [0, start_spread). RED, PI and REM draw from another stream. The seed is
# the number of the substream of both; ns-2's own `seed` command would not do: its generator is linear, so every draw of seed 2 is
# twice that of seed 1, modulo 1, and small seeds all begin with draws near 0.
# Units. rate_mbit and access_mbit in Mbit/s, rtt_ms in ms, times in s, queue lengths and windows in packets, packet in bytes on the wire.
#
# Metrics are of the interval [warmup, duration) at the forward bottleneck. The packet in transmission is not in the queue.
#   mean_queue    time-weighted mean of the packets waiting
#   loss          drops / arrivals, early drops and overflows alike; a SYN counts as a packet
#   utilisation   bits that left the queue / (rate * interval)
#   mark_ratio    marks / arrivals; a mark is counted when the marked packet leaves the queue (ECT and CE at departure)
#   share         bytes of the first group over those of all, where they leave their last router (-1 if there is one group); without `back`
#   nearest       bytes of the first flow, that of the shortest path, over the mean of its group (-1 but for tcp=tfrc)
#   cuts          windows cut because of marks, of all groups (-1 without ecn or transfers, and for other senders than ns-2's one-way ones)
#   transfer      mean time from SYN to last acknowledgement of the transfers that ended, warm-up included (-1 if there are none)
#   mean_average  RED's own average, sampled every 50 ms (-1 for the other queues); max_p likewise: its value at the end
# and the counts behind them: arrivals, departures, drops, early_drops (of drops), marks. mean_queue@2, loss@2 ... are those of the second
# bottleneck, mean_queue@back ... those of the other direction.
#
# trace=FILE writes ns-2's trace of the forward bottleneck: every enqueue (+), dequeue (-), drop (d) and arrival (r), in microseconds.
#
# Checked by a second count: a trace-all file of every enqueue, dequeue and drop at the bottleneck, from which the queue was rebuilt
# packet by packet (strict RED, RED with ECN, PI with ECN, DropTail): arrivals, departures, drops, marks and utilisation are equal; the
# mean queue agrees to 0.002 %, which is what the trace's six-digit time stamps allow.
#
# Hosts are no ns-2 nodes: an agent sends straight into its access queue, router 2 straight to the receiver's. That saves 40 % of the
# set-up and changes nothing: with ordinary nodes and links the counts of a whole run are the same to the packet.

source [file join [file dirname [info script]] ns2_defaults.tcl]

proc defaults {} {
	return {
		queue droptail flows 10 rate_mbit 10 access_mbit 100 rtt_ms 60 rtt_spread 0 limit 75
		tcp newreno control reno window 1000 packet 1000 ecn 0 delack 0
		increase 1 decrease 0.5 k 0 l 1
		rivals 0 rival_tcp sack rival_spread 0.7 transfers {}
		hops 1 cross 0 back 0
		sessions 0 object_packets 12 object_shape 1.5 think 1
		udp cbr udp_flows 0 udp_kbit 0 udp_packet 1000 jitter 0 on_ms 500 off_ms 500 shape 1.5
		start_spread 1 duration 60 warmup 15 seed 1 minrto 0.2 tick {} rto_initial {} trace {}
		min 0 max 0 max_p 0.1 w_q 0.002 gentle 1 wait 1
		a 0 b 0 q_ref 0 w 0
		gamma 0 phi 1 interval 0 rate_weight 1 start 0.8 virtual 1
		buckets 101 quantum 1000
	}
}

proc fail message {
	puts stderr "ns2_dumbbell.tcl: $message"
	exit 2
}

# Reads key=value arguments over the defaults into the global array `setting`.
proc read_options arguments {
	global setting
	array set setting [defaults]
	foreach argument $arguments {
		set pair [split $argument =]
		set key [lindex $pair 0]
		if {[llength $pair] != 2 || ![info exists setting($key)]} {
			fail "cannot read '$argument'; known are [lsort [array names setting]]"
		}
		set setting($key) [lindex $pair 1]
	}
}

# The queue under test, with everything set that its law depends on.
proc configure_queue queue {
	global setting
	switch $setting(queue) {
		droptail {}
		red - ared - ared_feng {
			$queue set bytes_ false
			$queue set queue_in_bytes_ false
			$queue set thresh_ $setting(min)
			$queue set maxthresh_ $setting(max)
			$queue set linterm_ [expr 1.0 / $setting(max_p)]
			$queue set q_weight_ $setting(w_q)
			$queue set gentle_ $setting(gentle)
			$queue set wait_ $setting(wait)
			$queue set mean_pktsize_ $setting(packet)
			$queue set setbit_ $setting(ecn)
			if {$setting(queue) != "red"} {
				$queue set adaptive_ 1
			}
			if {$setting(queue) == "ared_feng"} {
				$queue set feng_adaptive_ 1
				$queue set alpha_ 3.0	;# ns-2's defaults are those of Floyd's law
				$queue set beta_ 2.0
			}
		}
		pi {
			$queue set bytes_ false
			$queue set queue_in_bytes_ false
			$queue set a_ $setting(a)
			$queue set b_ $setting(b)
			$queue set qref_ $setting(q_ref)
			$queue set w_ $setting(w)
			$queue set mean_pktsize_ $setting(packet)
			$queue set setbit_ $setting(ecn)
		}
		rem {
			$queue set qib_ false
			$queue set gamma_ $setting(gamma)
			$queue set phi_ $setting(phi)
			$queue set inw_ $setting(rate_weight)
			$queue set pbo_ $setting(q_ref)
			$queue set pupdtime_ $setting(interval)
			$queue set mean_pktsize_ $setting(packet)
			$queue set markpkts_ $setting(ecn)
		}
		drr {
			$queue set buckets_ $setting(buckets)
			$queue set blimit_ [expr $setting(limit) * $setting(packet)]
			$queue set quantum_ $setting(quantum)
			$queue set mask_ 0
		}
		sfq {
			$queue set buckets_ $setting(buckets)
			$queue set maxqueue_ $setting(limit)
		}
		avq {
			$queue set queue_in_bytes_ true
			$queue set gamma_ $setting(gamma)
			$queue set ecnlim_ $setting(start)
			$queue set buflim_ $setting(virtual)
			$queue set mean_pktsize_ $setting(packet)
			$queue set markpkts_ $setting(ecn)
		}
	}
}

# An access hop: a long FIFO and a link that ends in `target`. Returns its entrance.
proc access_hop {delay target} {
	global setting ns
	set queue [new Queue/DropTail]
	$queue set limit_ 100000
	$queue drop-target [$ns set nullAgent_]
	set link [new DelayLink]
	$link set bandwidth_ [expr $setting(access_mbit) * 1e6]
	$link set delay_ $delay
	$queue target $link
	$link target $target
	return $queue
}

# A sender of the group and its receiver, with everything set that their law depends on.
proc make_tcp {tcp control} {
	global setting sender_class receiver_class senders
	set sender [new $sender_class($tcp)]
	set receiver [new $receiver_class($tcp)]
	if {$tcp == "tfrc"} {
		$sender set packetSize_ [expr $setting(packet) - 32]	;# what it adds; its equation counts without
		return [list $sender $receiver]
	}
	lappend senders $sender
	$sender set packetSize_ [expr $setting(packet) - 40]	;# what a sender adds
	$sender set window_ $setting(window)
	$sender set ecn_ $setting(ecn)
	$sender set minrto_ $setting(minrto)
	# Those of older releases, where they are given.
	if {$setting(tick) != ""} {
		$sender set tcpTick_ $setting(tick)
		$sender set precisionReduce_ false
	}
	if {$setting(rto_initial) != ""} { $sender set rtxcur_init_ $setting(rto_initial) }
	switch $control {
		reno {}
		gaimd {
			$sender set increase_num_ $setting(increase)
			$sender set decrease_num_ $setting(decrease)
		}
		binomial {
			$sender set windowOption_ 6
			$sender set k_parameter_ $setting(k)
			$sender set l_parameter_ $setting(l)
			$sender set increase_num_ $setting(increase)
			$sender set decrease_num_ [expr 1 - $setting(decrease)]
		}
		hstcp { $sender set windowOption_ 8 }
	}
	return [list $sender $receiver]
}

# A sender without control, and what takes its packets in.
proc make_udp {} {
	global setting
	set sender [new Agent/UDP]
	$sender set packetSize_ $setting(udp_packet)
	array set classes {cbr CBR exponential Exponential pareto Pareto}
	set source [new Application/Traffic/$classes($setting(udp))]
	$source set packetSize_ $setting(udp_packet)
	$source set rate_ [expr $setting(udp_kbit) * 1e3]
	if {$setting(udp) == "cbr"} {
		$source set random_ $setting(jitter)
	} else {
		$source set burst_time_ [expr $setting(on_ms) * 1e-3]
		$source set idle_time_ [expr $setting(off_ms) * 1e-3]
	}
	if {$setting(udp) == "pareto"} { $source set shape_ $setting(shape) }
	$source attach-agent $sender
	return [list $sender [new Agent/Null] $source]
}

# Connects flow i of a group of so many: sender and receiver with their four access hops, at these two routers (the ends of the row, if they are
# left out). Addresses: the routers, then hosts.
# Returns a place for `take_place`: addresses, and the entrances of the hops from and to the sender and the receiver.
proc connect_flow {sender receiver group i count {first 0} {last end}} {
	global setting routers last_address
	set share [expr {$count > 1 ? 2.0 * $i / ($count - 1) - 1 : 0}]
	set rtt [expr $setting(rtt_ms) * 1e-3]
	array set part [list 2 $setting(rival_spread) 5 0.6 6 0.85]
	set spread [expr {[info exists part($group)] ? $part($group) * $setting(rtt_spread) : $setting(rtt_spread)}]
	set delay [expr $rtt * (0.5 + $spread * $share) / 4]
	set sender_address [incr last_address]
	set receiver_address [incr last_address]
	set near [lindex $routers $first]
	set far [lindex $routers $last]
	set place [list $sender_address $receiver_address [access_hop $delay [$near entry]] [access_hop $delay [$far entry]] \
		[access_hop $delay $sender] [access_hop $delay $receiver]]
	[$near get-module Manual] add-route $sender_address [lindex $place 4]
	set exit [lindex $place 5]
	if {$group == 1 && $i == 0 && $setting(tcp) == "tfrc"} { set exit [counted first $exit] }
	[$far get-module Manual] add-route $receiver_address [counted $group $exit]
	if {$setting(hops) > 1} { route_through $near $far $sender_address $receiver_address }
	take_place $place $sender $receiver
	return $place
}

# The way from one router of the row to a later one, and back.
proc route_through {near far sender_address receiver_address} {
	global ns routers
	set on_way [lrange $routers [lsearch $routers $near] [lsearch $routers $far]]
	foreach a [lrange $on_way 0 end-1] b [lrange $on_way 1 end] {
		[$a get-module Manual] add-route $receiver_address [[$ns link $a $b] head]
		[$b get-module Manual] add-route $sender_address [[$ns link $b $a] head]
	}
}

# Puts a sender and a receiver where others have been.
proc take_place {place sender receiver} {
	global last_flow
	foreach {sender_address receiver_address from_sender from_receiver to_sender to_receiver} $place break
	foreach {agent own peer} [list $sender $sender_address $receiver_address $receiver $receiver_address $sender_address] {
		$agent set agent_addr_ $own
		$agent set agent_port_ 0
		$agent set dst_addr_ $peer
		$agent set dst_port_ 0
	}
	$sender set fid_ [incr last_flow]
	$sender target $from_sender
	$receiver target $from_receiver
	[$to_sender target] target $sender
	[$to_receiver target] target $receiver
	$sender reset
	$receiver reset
}

# Web sessions of ns-2's own. Each object has new agents (dont_recycle_), as with recycled ones transfers beside bulk flows take 3 % longer.
PagePool/WebTraf set dont_recycle_ 1
set free_places {}

proc make_sessions {} {
	global ns near far setting starts
	set pool [new PagePool/WebTraf]
	foreach {role node} [list server $near client $far] {
		$pool set-num-$role 1
		$pool set-$role 0 $node
	}
	$pool set-num-session $setting(sessions)
	for {set i 0} {$i < $setting(sessions)} {incr i} {
		$pool create-session $i 1000000 [$starts uniform 0 $setting(think)] [random_variable Exponential avg_ $setting(think)] \
			[random_variable Constant val_ 1] [random_variable Constant val_ 1] \
			[random_variable Pareto avg_ $setting(object_packets) shape_ $setting(object_shape)]
	}
}

proc random_variable {law args} {
	set variable [new RandomVariable/$law]
	foreach {name value} $args { $variable set $name $value }
	return $variable
}

# The pool asks for a sender and then for its receiver.
PagePool/WebTraf instproc alloc-tcp {} {
	global setting receiver_of place_of free_places
	foreach {sender receiver} [make_tcp $setting(tcp) $setting(control)] break
	if {[llength $free_places]} {
		set place_of($sender) [lindex $free_places end]
		set free_places [lrange $free_places 0 end-1]
		take_place $place_of($sender) $sender $receiver
	} else {
		set place_of($sender) [connect_flow $sender $receiver 4 0 1]
	}
	set receiver_of($self) $receiver
	return $sender
}

PagePool/WebTraf instproc alloc-tcp-sink {} {
	global receiver_of
	return $receiver_of($self)
}

# An object is asked for: its transfer begins at once.
PagePool/WebTraf instproc launch-req {object page client server sender receiver packets} {
	global ns began
	set began($sender) [$ns now]
	$sender proc done {} "$self ended $page $sender; \$self next"
	$sender advanceby $packets
}

# Its place stays empty for two seconds, so that what is still under way reaches nobody else.
PagePool/WebTraf instproc ended {page sender} {
	global ns place_of
	$ns at [expr [$ns now] + 2] "lappend free_places [list $place_of($sender)]"
	unset place_of($sender)
	$self doneObj $page
}

# Counts the bytes of a group on their way to `target`. Returns the entrance.
proc counted {group target} {
	global groups group_monitor setting
	if {$group == 5 || ($groups < 2 && $setting(tcp) != "tfrc")} { return $target }
	if {![info exists group_monitor($group)]} { set group_monitor($group) [new QueueMonitor] }
	set snoop [new SnoopQueue/In]
	$snoop set-monitor $group_monitor($group)
	$snoop target $target
	return $snoop
}

# Bytes of each group until now.
proc read_groups {} {
	global group_monitor
	set bytes {}
	foreach group [array names group_monitor] { lappend bytes $group [$group_monitor($group) set barrivals_] }
	return $bytes
}

# Bytes of the first group since the warm-up over those of all.
proc share_of_first {} {
	global groups
	if {$groups < 2} { return -1 }
	array set since [groups_since_warmup]
	unset -nocomplain since(first)
	set all 0.0
	foreach group [array names since] { set all [expr $all + $since($group)] }
	return [expr $since([lindex [lsort [array names since]] 0]) / $all]
}

# Bytes of the first flow since the warm-up over the mean of its group.
proc part_of_nearest {} {
	global setting
	array set since [groups_since_warmup]
	if {![info exists since(first)]} { return -1 }
	return [expr double($since(first)) * $setting(flows) / $since(1)]
}

proc groups_since_warmup {} {
	global groups_at_warmup
	array set before $groups_at_warmup
	set since {}
	foreach {group bytes} [read_groups] { lappend since $group [expr $bytes - $before($group)] }
	return $since
}

# Windows cut because of marks until now.
proc read_cuts {} {
	global setting senders
	if {!$setting(ecn) || $setting(transfers) == "" || [lsearch {tahoe reno newreno sack} $setting(tcp)] < 0} { return -1 }
	set cuts 0
	foreach sender $senders { incr cuts [$sender set necnresponses_] }
	return $cuts
}

# A transfer has ended: ns-2 calls this of every sender whose data is acknowledged.
Agent/TCP instproc done {} {
	global ns began transfer_sum transfer_count
	if {![info exists began($self)]} return
	set transfer_sum [expr $transfer_sum + [$ns now] - $began($self)]
	incr transfer_count
	unset began($self)
}

# Counts arrivals, departures, drops and marks at the bottleneck, and integrates its queue.
proc make_monitor {link queue} {
	global setting ns
	set monitor [new QueueMonitor/ED]
	$monitor set-pkts-integrator [new Integrator]
	$link attach-monitors [new SnoopQueue/In] [new SnoopQueue/Out] [new SnoopQueue/Drop] $monitor
	if {[lsearch {droptail rem avq drr sfq} $setting(queue)] < 0} {	;# those have one way to drop
		set early [new SnoopQueue/EDrop]
		$early set-monitor $monitor
		$early target [$ns set nullAgent_]
		$queue early-drop-target $early
	}
	return $monitor
}

# The counters now, as a list of name and value.
proc read_monitor monitor {
	global ns
	set integrator [$monitor get-pkts-integrator]
	$integrator newpoint [$ns now] [$integrator set lasty_]
	return [list area [$integrator set sum_] arrivals [$monitor set parrivals_] departures [$monitor set pdepartures_] \
		bytes [$monitor set bdepartures_] drops [$monitor set pdrops_] early_drops [$monitor set epdrops_] marks [$monitor set pmarks_]]
}

proc sample_average queue {
	global ns average_sum average_count
	set average_sum [expr $average_sum + [$queue set ave_]]
	incr average_count
	$ns at [expr [$ns now] + 0.05] "sample_average $queue"
}

# What a bottleneck did since the warm-up, as a list of name and value.
proc since_warmup {monitor before} {
	global setting
	array set n [read_monitor $monitor]
	foreach {key value} $before { set n($key) [expr $n($key) - $value] }
	set interval [expr double($setting(duration) - $setting(warmup))]
	set arrivals [expr {$n(arrivals) > 0 ? double($n(arrivals)) : 1.0}]
	return [list mean_queue [expr $n(area) / $interval] loss [expr $n(drops) / $arrivals] \
		utilisation [expr $n(bytes) * 8 / ($setting(rate_mbit) * 1e6 * $interval)] mark_ratio [expr $n(marks) / $arrivals] \
		arrivals $n(arrivals) departures $n(departures) drops $n(drops) early_drops $n(early_drops) marks $n(marks)]
}

proc finish {} {
	global setting bottlenecks at_warmup cuts_at_warmup average_sum average_count transfer_sum transfer_count
	set is_red [string match *red* $setting(queue)]
	set found [list share [share_of_first] nearest [part_of_nearest] transfer [expr {$transfer_count > 0 ? $transfer_sum / $transfer_count : -1}] \
		cuts [expr {$cuts_at_warmup < 0 ? -1 : [read_cuts] - $cuts_at_warmup}] \
		mean_average [expr {$is_red && $average_count > 0 ? double($average_sum) / $average_count : -1}] \
		max_p [expr {$is_red ? [[lindex $bottlenecks 1] set cur_max_p_] : -1}]]
	foreach {suffix queue monitor} $bottlenecks before $at_warmup {
		foreach {name value} [since_warmup $monitor $before] { lappend found $name$suffix $value }
	}
	set fields {}
	foreach {name value} $found { lappend fields [format {"%s": %.9g} $name $value] }
	puts "{[join $fields {, }]}"
	exit 0
}

# At the end of the warm-up.
proc begin_counting {} {
	global setting bottlenecks at_warmup groups_at_warmup cuts_at_warmup
	set at_warmup {}
	foreach {suffix queue monitor} $bottlenecks { lappend at_warmup [read_monitor $monitor] }
	set groups_at_warmup [read_groups]
	set cuts_at_warmup [read_cuts]
	if {[string match *red* $setting(queue)]} { sample_average [lindex $bottlenecks 1] }
}

# The link from one router to the next, with the queue under test. What it measures gets this suffix.
proc bottleneck {a b delay suffix} {
	global ns setting class_of bottlenecks
	$ns simplex-link $a $b [expr $setting(rate_mbit) * 1e6] $delay $class_of($setting(queue))
	$ns queue-limit $a $b $setting(limit)
	set link [$ns link $a $b]
	configure_queue [$link queue]
	lappend bottlenecks $suffix [$link queue] [make_monitor $link [$link queue]]
	if {$setting(trace) != "" && $suffix == ""} { $link trace $ns [open $setting(trace) w] }
}

proc plain_link {a b delay} {
	global ns setting
	$ns simplex-link $a $b [expr $setting(rate_mbit) * 1e6] $delay DropTail
	$ns queue-limit $a $b 100000
}

# Senders of a group, which send without end.
proc make_bulk {group count tcp control {first 0} {last end}} {
	global ns setting starts
	for {set i 0} {$i < $count} {incr i} {
		foreach {sender receiver} [make_tcp $tcp $control] break
		connect_flow $sender $receiver $group $i $count $first $last
		$ns at [$starts uniform 0 $setting(start_spread)] [expr {$tcp == "tfrc" ? "$sender start" : "$sender send -1"}]
	}
}

read_options $argv
set kinds {droptail DropTail red RED ared RED ared_feng RED pi PI rem REM avq Vq drr DRR sfq SFQ}
if {[lsearch $kinds $setting(queue)] % 2 != 0} { fail "queue=$setting(queue); known are droptail, red, ared, ared_feng, pi, rem, avq, drr, sfq" }
set known {tahoe reno newreno sack tfrc}
foreach key {tcp rival_tcp} {
	if {[lsearch $known $setting($key)] < 0} { fail "$key=$setting($key); known are $known" }
}
set known {reno gaimd binomial hstcp}
if {[lsearch $known $setting(control)] < 0} { fail "control=$setting(control); known are $known" }
array set class_of $kinds

remove-all-packet-headers
add-packet-header IP TCP RTP Flags
if {$setting(tcp) == "tfrc"} { add-packet-header TFRC TFRC_ACK }
set ns [new Simulator]
$ns use-scheduler Splay
$ns rtproto Manual
set starts [new RNG]
for {set i 0} {$i < $setting(seed)} {incr i} {
	$defaultRNG next-substream
	$starts next-substream
}

for {set i 0} {$i <= $setting(hops)} {incr i} { lappend routers [$ns node] }
set near [lindex $routers 0]
set far [lindex $routers end]
set delay [expr $setting(rtt_ms) * 1e-3 / 4 / $setting(hops)]
set bottlenecks {}
for {set i 0} {$i < $setting(hops)} {incr i} {
	set a [lindex $routers $i]
	set b [lindex $routers [expr $i + 1]]
	bottleneck $a $b $delay [expr {$i == 0 ? "" : "@[expr $i + 1]"}]
	if {$setting(back) > 0} { bottleneck $b $a $delay @back } else { plain_link $b $a $delay }
}
if {$setting(hops) == 1} {
	[$near get-module Manual] add-route-to-adj-node -default $far
	[$far get-module Manual] add-route-to-adj-node -default $near
} elseif {$setting(back) > 0} {
	fail "back=$setting(back) and hops=$setting(hops): only one of the two"
}

array set sender_class {tahoe Agent/TCP reno Agent/TCP/Reno newreno Agent/TCP/Newreno sack Agent/TCP/Sack1
	tfrc Agent/TFRC}
foreach tcp {tahoe reno newreno sack} {
	set sack [expr {$tcp == "sack" ? "/Sack1" : ""}]
	set receiver_class($tcp) Agent/TCPSink$sack[expr {$setting(delack) ? "/DelAck" : ""}]
}
set receiver_class(tfrc) Agent/TFRCSink
set classes [list $sender_class($setting(tcp)) $receiver_class($setting(tcp)) Queue/DropTail DelayLink]
if {$setting(rivals) > 0} { lappend classes $sender_class($setting(rival_tcp)) $receiver_class($setting(rival_tcp)) }
if {$setting(cross) > 0} { lappend classes $sender_class(sack) $receiver_class(sack) }
flatten_defaults $classes

set last_address $setting(hops)
set last_flow -1
set senders {}
set transfer_sum 0.0
set transfer_count 0
set groups [expr {($setting(flows) > 0) + ($setting(rivals) > 0) + ($setting(udp_flows) > 0) + ($setting(transfers) != "" || $setting(sessions) > 0)
	+ ($setting(cross) > 0)}]
make_bulk 1 $setting(flows) $setting(tcp) $setting(control)
make_bulk 2 $setting(rivals) $setting(rival_tcp) reno
make_bulk 5 $setting(back) $setting(tcp) $setting(control) end 0
for {set hop 0} {$hop < $setting(hops)} {incr hop} { make_bulk 6 $setting(cross) sack reno $hop [expr $hop + 1] }
for {set i 0} {$i < $setting(udp_flows)} {incr i} {
	foreach {sender receiver source} [make_udp] break
	connect_flow $sender $receiver 3 $i $setting(udp_flows)
	$ns at [$starts uniform 0 $setting(start_spread)] "$source start"
}
if {$setting(transfers) != ""} {
	foreach {start packets} [read [open $setting(transfers)]] {
		foreach {sender receiver} [make_tcp $setting(tcp) $setting(control)] break
		connect_flow $sender $receiver 4 0 1
		$ns at $start "set began($sender) $start; $sender advanceby $packets"
	}
}
if {$setting(sessions) > 0} { make_sessions }
set average_sum 0
set average_count 0
$ns at $setting(warmup) begin_counting
$ns at $setting(duration) finish
$ns run
