# Writes what one TCP sender of ns-2 sends under given losses and marks: the fixture of the profile ns2
# (crates/sojourn-senders/src/transport/tcp/ns2_schedules.txt).
# ns ns2_sender.tcl PROTO SINK WINDOW LOST MARKED LOST_ACKS ECN UNTIL: the events of the first link go to out.tr,
# window and threshold at the end to standard output.
foreach {proto sink window drops marks ackdrops ecn until} $argv break
set ns [new Simulator]
set f [open out.tr w]
$ns use-scheduler Heap
for {set i 0} {$i < 4} {incr i} { set n($i) [$ns node] }
proc link {a b d} { global ns n; $ns duplex-link $n($a) $n($b) 1000Gb $d DropTail; $ns queue-limit $n($a) $n($b) 100000; $ns queue-limit $n($b) $n($a) 100000 }
link 0 1 0ms
link 1 2 0ms
link 2 3 55.15ms
$ns trace-queue $n(0) $n(1) $f
Agent/TCP set window_ $window
Agent/TCP set ecn_ $ecn
set tcp [new Agent/TCP$proto]
set snk [new Agent/TCPSink$sink]
$tcp set packetSize_ 960
$ns attach-agent $n(0) $tcp
$ns attach-agent $n(3) $snk
$ns connect $tcp $snk
proc em {a b list mark} {
  global ns n
  if {[llength $list] == 0} return
  set em [new ErrorModel/List]; $em set markecn_ $mark; $em droplist $list; $em drop-target [new Agent/Null]
  $ns link-lossmodel $em $n($a) $n($b)
}
em 1 2 $drops false
em 2 3 $marks true
em 3 2 $ackdrops false
set ftp [new Application/FTP]; $ftp attach-agent $tcp
$ns at 0.0 "$ftp start"
proc finish {} { global f tcp; close $f; puts "cwnd [$tcp set cwnd_] ssthresh [$tcp set ssthresh_]"; exit 0 }
$ns at $until "finish"
$ns run
