/* sniff.c - all that passes this host's network devices, on stdout: what somebody
 * on the way sees. Wants CAP_NET_RAW. "ready" on stderr when nothing more is missed.
 *
 * usage: sniff */
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void)
{
    static char packet[1 << 17];
    int bytes = 64 << 20, fd = socket(AF_PACKET, SOCK_DGRAM, htons(ETH_P_ALL));
    struct sockaddr_ll at = { .sll_family = AF_PACKET,
                              .sll_protocol = htons(ETH_P_ALL) };

    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)))
        return perror("sniff"), 1;
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
    fprintf(stderr, "ready\n");
    for (ssize_t n; (n = recv(fd, packet, sizeof(packet), 0)) >= 0;)
        if (write(STDOUT_FILENO, packet, (size_t)n) != n)
            return perror("sniff"), 1;
    return perror("sniff"), 1;
}
