/*
 * A clock that is TOLLBRIDGE_TEST_BEHIND_S seconds behind, for a server that is
 * started with this in LD_PRELOAD: what a data folder remembers for a day only is
 * still there then, however long ago it was recorded.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t behind;

__attribute__((constructor)) static void set(void) {
    const char *text = getenv("TOLLBRIDGE_TEST_BEHIND_S");
    behind = text ? (time_t)strtoll(text, NULL, 10) : 0;
}

int clock_gettime(clockid_t id, struct timespec *now) {
    int done = (int)syscall(SYS_clock_gettime, id, now);
    if (done == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) {
        now->tv_sec -= behind;
    }
    return done;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec exact;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &exact) != 0) {
        return -1;
    }
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *to) {
    struct timespec exact;
    if (clock_gettime(CLOCK_REALTIME, &exact) != 0) {
        return (time_t)-1;
    }
    if (to != NULL) {
        *to = exact.tv_sec;
    }
    return exact.tv_sec;
}
