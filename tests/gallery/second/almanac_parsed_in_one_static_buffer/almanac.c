#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Parses almanacs. Not reentrant: the page that is parsed is static. */

#define PAGE_SIZE_OF_TEXT (8 << 20)

typedef void (*tell_progress)(int percent);

static char *page;
static size_t filled;

static void
open_page(void)
{
    page = mmap(NULL, PAGE_SIZE_OF_TEXT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    filled = 0;
}

static void
close_page(void)
{
    munmap(page, PAGE_SIZE_OF_TEXT);
    page = NULL;
}

static __attribute__((noinline)) long
sum_of_columns(const char *text)
{
    long sum = 0;

    for (size_t i = 0; text[i]; i++) {
        page[filled++ % PAGE_SIZE_OF_TEXT] = text[i];
        if (text[i] >= '0' && text[i] <= '9')
            sum += text[i] - '0';
    }
    return sum;
}

long
almanac_parse(const char *text, tell_progress tell)
{
    long sum = 0;

    open_page();
    for (int part = 0; part < 4; part++) {
        sum += sum_of_columns(text);
        if (tell)
            tell(25 * (part + 1));
    }
    close_page();
    return sum;
}
