"""The publications behind short names that the sources of defaults cite, such as ``[Flo93]``."""

from __future__ import annotations

import re

ABSTRACT = "; only its abstract is available"
NOT_HAD = "; its text is not available, so that descriptions by others count"

SOURCES = {
    "Abb09": "Abbasov and Korukoglu, Effective RED, J. Network and Computer Applications 32(3), 2009" + NOT_HAD,
    "Ale04": "Alemu, Performance Evaluation of Quality of Service Mechanisms in the Internet, PhD thesis, 2004",
    "Ath01": "Athuraliya, Li, Low and Yin, REM: Active Queue Management, IEEE Network 15(3), 2001",
    "Awe01": "Aweya, Ouellette and Montuno, A control theoretic approach to active queue management, Computer Networks "
    "36(2-3), 2001" + NOT_HAD,
    "Cha04": "Chatranon, dissertation, University of Pittsburgh, 2004",
    "Che11": "Chen, Hu and Ji, Self-Tuning Random Early Detection Algorithm to Improve Performance of Network "
    "Transmission, Mathematical Problems in Engineering 2011; without its formulas",
    "Chu00": "Chung and Claypool, Dynamic-CBT and ChIPS, ACM Multimedia 2000" + ABSTRACT,
    "Cla98": "Clark and Fang, Explicit Allocation of Best-Effort Packet Delivery Service, IEEE/ACM ToN 6(4), 1998",
    "DeS16": "De Schepper, Bondarenko, Tsang and Briscoe, PI2: A Linearized AQM for both Classic and Scalable TCP, "
    "CoNEXT 2016",
    "Dem89": "Demers, Keshav and Shenker, Analysis and Simulation of a Fair Queueing Algorithm, SIGCOMM 1989",
    "Fen01": "Feng, Kandlur, Saha and Shin, Stochastic Fair Blue, INFOCOM 2001",
    "Fen02": "Feng, Kapadia and Thulasidasan, GREEN: Proactive Queue Management over a Best-Effort Network, GLOBECOM "
    "2002",
    "Fen04": "Feng, Agarwal, Jayaraman and Siew, Modified RED Gateways under Bursty Traffic, IEEE Communications "
    "Letters 8(5), 2004" + NOT_HAD,
    "Fen99": "Feng, Kandlur, Saha and Shin, A Self-Configuring RED Gateway, INFOCOM 1999",
    "Fen99b": "Feng, Kandlur, Saha and Shin, Blue: A New Class of Active Queue Management Algorithms, CSE-TR-387-99, "
    "1999",
    "Flo01": "Floyd, Gummadi and Shenker, Adaptive RED, 2001",
    "Flo93": "Floyd and Jacobson, Random Early Detection Gateways for Congestion Avoidance, IEEE/ACM ToN 1(4), 1993",
    "Flo95": "Floyd and Jacobson, Link-Sharing and Resource Management Models for Packet Networks, IEEE/ACM ToN 3(4), "
    "1995",
    "Flo99": "Floyd and Fall, Promoting the Use of End-to-End Congestion Control in the Internet, IEEE/ACM ToN 7(4), "
    "1999",
    "Gao03": "Gao and Hou, A State Feedback Control Approach to Stabilizing Queues for ECN-Enabled TCP Connections, "
    "INFOCOM 2003" + ABSTRACT,
    "Hai05": "Haider, Sirisena and Pawlikowski, TR-COSC 02/05, University of Canterbury, 2005",
    "Hol01": "Hollot, Misra, Towsley and Gong, On Designing Improved Controllers for AQM Routers Supporting TCP Flows, "
    "INFOCOM 2001",
    "Hur01": "Hurley, Kara, Le Boudec and Thiran, ABE: Providing a Low-Delay Service within Best Effort, IEEE Network "
    "15(3), 2001, and A Novel Scheduler for a Low Delay Service within Best-Effort, IWQoS 2001" + ABSTRACT,
    "INET": "CSFQVLANQueue2 of an extension of INET, after the ns-2 code of CSFQ's authors",
    "KHR02": "Katabi, Handley and Rohrs, Congestion Control for High Bandwidth-Delay Product Networks, SIGCOMM 2002",
    "Kap04": "Kapadia, Feng and Campbell, GREEN: A TCP Equation-Based Approach to Active Queue Management, "
    "UIUCDCS-R-2004-2408, 2004",
    "Kim06": "Kim and Lee, Refined Adaptive RED in TCP/IP Networks, SICE-ICASE 2006, as [Tah13] tells of it",
    "Kun01": "Kunniyur and Srikant, Analysis and Design of an Adaptive Virtual Queue (AVQ) Algorithm for Active Queue "
    "Management, SIGCOMM 2001",
    "Lin97": "Lin and Morris, Dynamics of Random Early Detection, SIGCOMM 1997",
    "Liu05": "Liu, Başar and Srikant, Exponential-RED, IEEE/ACM ToN 13(5), 2005" + ABSTRACT,
    "Ott99": "Ott, Lakshman and Wong, SRED: Stabilized RED, INFOCOM 1999",
    "Pan00": "Pan, Prabhakar and Psounis, CHOKe, INFOCOM 2000",
    "Mah01": "Mahajan, Floyd and Wetherall, Controlling High-Bandwidth Flows at the Congested Router, ICNP 2001",
    "Mah01s": "the simulations of [Mah01] in ns-2's distribution, tcl/ex/red-pd (monitoring.tcl, helper.tcl)",
    "Par99": "Parris, Jeffay and Smith, Lightweight Active Router-Queue Management for Multimedia Networking, MMCN "
    "1999, as [Tah13] and [Ale04] tell of it",
    "Phi02": "Phirke, Traffic Sensitive Active Queue Management for Improved Quality of Service, MSc thesis, WPI, 2002",
    "RJ90": "Ramakrishnan and Jain, A Binary Feedback Scheme for Congestion Avoidance in Computer Networks, ACM TOCS "
    "8(2), 1990",
    "Sem01": "Semeria, Supporting Differentiated Service Classes: Queue Scheduling Disciplines, Juniper Networks, 2001",
    "Shr95": "Shreedhar and Varghese, Efficient Fair Queueing Using Deficit Round Robin, SIGCOMM 1995",
    "Sto98": "Stoica, Shenker and Zhang, Core-Stateless Fair Queueing, SIGCOMM 1998; its pseudo-code, and constants by "
    "[INET]",
    "Sut98": "Suter, Lakshman, Stiliadis and Choudhury, Design Considerations for Supporting TCP with Per-flow "
    "Queueing, INFOCOM 1998",
    "Tah13": "Tahiliani, Optimizing Congestion Avoidance and Congestion Control in Wired and Wireless Networks, PhD "
    "thesis, NIT Karnataka, 2013",
    "Tur86": "Turner, New directions in communications, IEEE Communications Magazine 24(10), 1986",
    "Wan04": "Wang, Li, Hou, Sohraby and Lin, LRED, INFOCOM 2004",
    "Zhe00": "Zheng and Atiquzzaman, DSRED, LCN 2000",
    "Zho06": "Zhou, Yeung and Li, Nonlinear RED, Computer Networks 50, 2006",
}


def cited(text: str) -> list[str]:
    """The short names in a text, and those that their sources cite, in order."""
    found = set(re.findall(r"\[([A-Z][A-Za-z]*\d\d[a-z]?|INET)\]", text))
    found |= {key for name in found & SOURCES.keys() for key in re.findall(r"\[(\w+)\]", SOURCES[name])}
    return sorted(found)
