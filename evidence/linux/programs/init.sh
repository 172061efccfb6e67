#!/bin/sh
# The guest's first process. JOB names a file of shell variables, which kernel_machine.py writes:
#   GUEST, OUT    the guest's program, and the folder of the results
#   QUEUE         tc's words for the queue, which gets the handle 10:
#   SHAPER        htb: the link is HTB's class; own: the queue shapes itself; tree: QUEUE names a file of tc's words, one command a line
#   WAY           there: the queue is before the link to the receivers; back: on the way of the acknowledgements, HTB and a long buffer there
#   PLACES        so many further addresses of sender and receiver, 10.0.1.11 and 10.0.3.11 the first; 0 for none
#   MTU           of all devices
#   RATE, BACK, BEHIND     rate of the link; delays on the way back and behind the link (with all that netem does there), in tc's words
#   ECN           1 where hosts speak ECN
#   HOSTS         settings of the hosts in /proc/sys/net/ipv4: NAME=VALUE, with commas for blanks
#   OFFLOAD       whole or none (guest.c)
#   RECORD        yes where the segments of the first flow are written down at both of its ends
#   FLOWS         one word for each flow: CONTROL,START_NS,SOURCE,TARGET,TOS; hosts are numbered from 1, 0 is the first address
#   TRANSFERS     one word for each transfer besides them: CONTROL,START_NS,BYTES; OUT/PORT.transfer has what guest.c prints of each
#   DATAGRAMS     a file of datagrams in place of flows, or nothing
#   WARM, END     nanoseconds after the start at which counting begins and ends
#   LINES         a file of tc's words for queues, one queue a line, in place of all this: OUT/answers has what tc says to each, and shows then
#
# Four namespaces in a row: a sends, r1 has the queue, r2 the delay behind it, b receives.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t tmpfs tmpfs /run
. "$JOB"
exec > "$OUT/log" 2>&1
uname -a
if [ -n "$LINES" ]; then
  ip link add dev x type dummy
  ip link set x up
  # The tap does not listen to this handle.
  while read -r words; do
    printf '\n> %s\n' "$words"
    timeout 5 tc qdisc add dev x root handle 2: $words && tc -j -d qdisc show dev x root && tc -d qdisc show dev x root
    tc qdisc del dev x root 2> /dev/null
  done < "$LINES" > "$OUT/answers" 2>&1
  echo DONE
  sync
  $GUEST halt
fi
set -x

ip link set lo up
for name in a r1 r2 b; do ip netns add $name; ip -n $name link set lo up; done
ip -n a link add a0 type veth peer name r1a netns r1
ip -n r1 link add r1b type veth peer name r2a netns r2
ip -n r2 link add r2b type veth peer name b0 netns b
ip -n a addr add 10.0.1.1/24 dev a0; ip -n r1 addr add 10.0.1.2/24 dev r1a
ip -n r1 addr add 10.0.2.1/24 dev r1b; ip -n r2 addr add 10.0.2.2/24 dev r2a
ip -n r2 addr add 10.0.3.1/24 dev r2b; ip -n b addr add 10.0.3.2/24 dev b0
for pair in a:a0 r1:r1a r1:r1b r2:r2a r2:r2b b:b0; do
  ip -n ${pair%:*} link set ${pair#*:} txqueuelen 1000 mtu $MTU up
  ip netns exec ${pair%:*} $GUEST offload ${pair#*:} $OFFLOAD
  # Routers would ask for their neighbours again after half a minute: through the queue, which may lose what they ask.
  ip netns exec ${pair%:*} sh -c "echo 36000000 > /proc/sys/net/ipv4/neigh/${pair#*:}/base_reachable_time_ms"
done
for host in $(seq $PLACES); do
  ip -n a addr add 10.0.1.$((10 + host))/24 dev a0; ip -n b addr add 10.0.3.$((10 + host))/24 dev b0
done
ip -n a route add default via 10.0.1.2; ip -n b route add default via 10.0.3.1
ip -n r1 route add 10.0.3.0/24 via 10.0.2.2; ip -n r2 route add 10.0.1.0/24 via 10.0.2.1
for name in r1 r2; do ip netns exec $name sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'; done
# Of all connections together: as on a machine of 8 GB. With little memory all of them would be under pressure, and get smaller buffers.
echo 94000 126000 189000 > /proc/sys/net/ipv4/tcp_mem
# Hosts forget what they learnt of a path, and a flow whose SYN is lost keeps ECN: Sojourn's hosts do not learn and do not give up.
for name in a b; do
  ip netns exec $name sh -c "cd /proc/sys/net/ipv4; echo $ECN > tcp_ecn; echo 1 > tcp_no_metrics_save; echo 0 > tcp_ecn_fallback"
  # A router on a wire knows a flow by addresses and ports. Here it sees the hash of the sender's socket, which is drawn anew after a timeout.
  ip netns exec $name sh -c "echo 0 > /proc/sys/net/core/txrehash"
  # With little memory the kernel's own buffers are smaller than those of a machine of some GB, and not the same in each run.
  ip netns exec $name sh -c "cd /proc/sys/net/ipv4; echo 4096 131072 6291456 > tcp_rmem; echo 4096 16384 4194304 > tcp_wmem"
  for setting in $HOSTS; do ip netns exec $name sh -c "echo ${setting#*=} | tr , \" \" > /proc/sys/net/ipv4/${setting%=*}"; done
done

# HTB and CAKE let a packet go when its transmission begins, so that BEHIND has the transmission in it.
ip netns exec r2 tc qdisc add dev r2b root netem delay $BEHIND limit 1000000
ip netns exec r1 tc qdisc add dev r1a root netem delay $BACK limit 1000000
in_r1() { ip netns exec r1 tc "$@" || echo "FAILED tc $*"; }
below_htb() {
  case "$1" in
    dualpi2) shift; ip netns exec r1 $GUEST dualpi2 r1b "$@" || echo "FAILED dualpi2 $*" ;;
    *) in_r1 qdisc add dev r1b parent 1:1 handle 10: "$@" ;;
  esac
}
if [ $SHAPER = htb ]; then
  in_r1 qdisc add dev r1b root handle 1: htb default 1
  in_r1 class add dev r1b parent 1: classid 1:1 htb rate $RATE burst 1b cburst 1b quantum $((MTU + 14))
  if [ $WAY = back ]; then
    in_r1 qdisc add dev r1b parent 1:1 handle 20: pfifo limit 1000
    ip netns exec r2 tc qdisc add dev r2a root handle 10: $QUEUE || echo "FAILED tc"
  else
    below_htb $QUEUE
  fi
elif [ $SHAPER = tree ]; then
  while read -r words; do in_r1 $words; done < "$QUEUE"
else
  in_r1 qdisc add dev r1b root handle 10: $QUEUE
fi

port=5000
for flow in $FLOWS $TRANSFERS; do
  port=$((port + 1))
  [ "$RECORD" = yes ] && [ $port = 5001 ] && tap="b0 $OUT/receiver.segments" || tap=
  ip netns exec b $GUEST sink $port ${flow%%,*} $tap &
done
# Neighbours are known before anything counts.
ip netns exec a ping -c 1 -W 2 10.0.3.2 > /dev/null 2>&1 || ip netns exec a $GUEST datagrams 10.0.3.2 $OUT/hello
ZERO=$(($($GUEST clock) + 500000000))
if [ -n "$DATAGRAMS" ]; then
  ip netns exec a $GUEST datagrams 10.0.3.2 $DATAGRAMS
  $GUEST until $(($($GUEST clock) + 2000000000))
else
  port=5000
  waiting=
  for flow in $FLOWS; do
    port=$((port + 1))
    [ "$RECORD" = yes ] && [ $port = 5001 ] && tap="a0 $OUT/sender.segments" || tap=
    start=${flow#*,}
    hosts=${start#*,}
    target=${hosts#*,}
    ip netns exec a $GUEST bulk 10.0.3.2 $port ${flow%%,*} $((ZERO + ${start%%,*})) $((ZERO + END)) $((ZERO + WARM)) ${hosts%%,*} ${target%,*} ${target#*,} $tap >> "$OUT/flows" &
    waiting="$waiting $!"
  done
  for flow in $TRANSFERS; do
    port=$((port + 1))
    start=${flow#*,}
    ip netns exec a $GUEST transfer 10.0.3.2 $port ${flow%%,*} $((ZERO + ${start%,*})) $((ZERO + END)) ${start#*,} > "$OUT/$port.transfer" &
    waiting="$waiting $!"
  done
  $GUEST until $((ZERO + WARM)); ip netns exec r1 tc -s -d qdisc show dev r1b > "$OUT/warm.tc"
  $GUEST until $((ZERO + END)); ip netns exec r1 tc -s -d qdisc show dev r1b > "$OUT/end.tc"
  wait $waiting
fi
cat /proc/sojourn_htb > "$OUT/link.calls" 2> /dev/null
for file in /proc/sojourn_*; do [ $file = /proc/sojourn_htb ] || cat $file > "$OUT/queue.calls"; done
if [ $WAY = back ]; then ip netns exec r2 tc -s -d qdisc show dev r2a; else ip netns exec r1 tc -s -d qdisc show dev r1b; fi
case "$QUEUE" in dualpi2*) ip netns exec r1 $GUEST dualpi2-shown r1b ;; esac
for name in a b; do ip netns exec $name grep ^TcpExt: /proc/net/netstat; done
set +x
echo ZERO $ZERO
echo DONE
sync
$GUEST halt
