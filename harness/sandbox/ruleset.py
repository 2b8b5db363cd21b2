"""The packet filter of a sandbox's network namespace: its rules, which are the same for every sandbox."""

import hashlib

#: A link-local address that nobody else can have: it is only on the sandbox's own loopback.
ADDRESS, PORT = "169.254.1.1", 18080
TABLE = "harness"
#: Distinct destinations that are kept, per set; the packets beyond are counted all the same.
SET_SIZE = 1024

#: IANA's protocol numbers by name. nft would look names up in a file of the host (/etc/protocols): it is asked for
#: numbers, so that a record never depends on the host.
PROTOCOLS = {"1": "icmp", "2": "igmp", "6": "tcp", "17": "udp", "58": "ipv6-icmp", "132": "sctp", "136": "udplite"}

#: Where refused packets are counted by protocol; each is in one of them.
REFUSED = ("denied_tcp", "denied_udp", "denied_icmp", "denied_other")
#: Beside "allowed" and "denied": answers of the gateway's listener, the sandbox's talk with itself, what the kernel
#: says where we refuse; refused packets by protocol, and those whose destination is in no set.
COUNTERS = ("answers", "loopback", "resets", "unreachable", *REFUSED, "unlisted")

#: Every packet of the sandbox passes the output hook, since all addresses are routed to its own loopback. Each one is
#: in one of the counters "allowed", "answers", "loopback", "resets", "unreachable" and "denied". What is not for the
#: listener or the loopback is counted, its destination is noted, and it is refused at once, so that programs don't wait
#: for a time-out. Answers of our own refusals are let through.
#: Protocols stand by words of nft's own grammar: other names it looks up in the host's /etc/protocols, which need not
#: be there.
#: A full set lets a packet go on to the next rule: so "unlisted" has just those whose destination is in no set. Later
#: fragments have no port.
RULES = f"""\
table inet {TABLE} {{
	counter allowed {{ }}
	counter answers {{ }}
	counter loopback {{ }}
	counter resets {{ }}
	counter unreachable {{ }}
	counter denied {{ }}
	counter denied_tcp {{ }}
	counter denied_udp {{ }}
	counter denied_icmp {{ }}
	counter denied_other {{ }}
	counter unlisted {{ }}
	set tried4 {{ type ipv4_addr . inet_proto . inet_service; size {SET_SIZE}; flags dynamic; counter; }}
	set tried6 {{ type ipv6_addr . inet_proto . inet_service; size {SET_SIZE}; flags dynamic; counter; }}
	set other4 {{ type ipv4_addr . inet_proto; size {SET_SIZE}; flags dynamic; counter; }}
	set other6 {{ type ipv6_addr . inet_proto; size {SET_SIZE}; flags dynamic; counter; }}
	chain count {{
		meta l4proto tcp counter name "denied_tcp" return
		meta l4proto udp counter name "denied_udp" return
		meta l4proto {{ icmp, icmpv6 }} counter name "denied_icmp" return
		counter name "denied_other"
	}}
	chain note {{
		ip frag-off & 0x1fff != 0 update @other4 {{ ip daddr . meta l4proto }} return
		frag frag-off != 0 update @other6 {{ ip6 daddr . meta l4proto }} return
		meta nfproto ipv4 meta l4proto {{ tcp, udp }} update @tried4 {{ ip daddr . meta l4proto . th dport }} return
		meta nfproto ipv6 meta l4proto {{ tcp, udp }} update @tried6 {{ ip6 daddr . meta l4proto . th dport }} return
		meta nfproto ipv4 meta l4proto != {{ tcp, udp }} update @other4 {{ ip daddr . meta l4proto }} return
		meta nfproto ipv6 meta l4proto != {{ tcp, udp }} update @other6 {{ ip6 daddr . meta l4proto }} return
		counter name "unlisted"
	}}
	chain output {{
		type filter hook output priority filter; policy drop;
		ip daddr {ADDRESS} tcp dport {PORT} counter name "allowed" accept
		ip saddr {ADDRESS} tcp sport {PORT} counter name "answers" accept
		ip daddr 127.0.0.0/8 counter name "loopback" accept
		ip6 daddr ::1 counter name "loopback" accept
		tcp flags & (syn | rst) == rst counter name "resets" accept
		icmp type destination-unreachable counter name "unreachable" accept
		icmpv6 type destination-unreachable counter name "unreachable" accept
		counter name "denied"
		jump count
		jump note
		meta l4proto tcp reject with tcp reset
		reject with icmpx admin-prohibited
	}}
	chain forward {{ type filter hook forward priority filter; policy drop; }}
}}
"""

#: Digest of the same rules as earlier versions loaded them, with one protocol by another of its names.
EARLIER = "0ad3914ebb2f791042faa5d634b0f4699a562a4a05090ab4240859767bae13d3"


def digest() -> str:
    """sha256 of the rules as they are loaded, in hex."""
    return hashlib.sha256(RULES.encode()).hexdigest()
