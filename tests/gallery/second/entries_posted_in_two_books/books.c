/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

struct book {
    pthread_mutex_t mutex;
    int64_t balance;
    int64_t entries;
};

static struct book journal = {PTHREAD_MUTEX_INITIALIZER, 0, 0};
static struct book ledger = {PTHREAD_MUTEX_INITIALIZER, 0, 0};

static void settle_disk(void) { usleep(1500); }

__attribute__((noinline)) int64_t book_post_entry(int64_t cents)
{
    pthread_mutex_lock(&journal.mutex);
    journal.balance += cents;
    journal.entries++;
    settle_disk();
    pthread_mutex_lock(&ledger.mutex);
    ledger.balance += cents;
    ledger.entries++;
    pthread_mutex_unlock(&ledger.mutex);
    pthread_mutex_unlock(&journal.mutex);
    return cents;
}

__attribute__((noinline)) int64_t book_reconcile(void)
{
    int64_t difference;
    pthread_mutex_lock(&ledger.mutex);
    settle_disk();
    pthread_mutex_lock(&journal.mutex);
    difference = ledger.balance - journal.balance;
    pthread_mutex_unlock(&journal.mutex);
    pthread_mutex_unlock(&ledger.mutex);
    return difference;
}
