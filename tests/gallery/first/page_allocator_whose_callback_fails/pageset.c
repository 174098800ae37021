// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <string.h>
typedef void *(*page_allocator)(size_t size);
struct page_header {
    unsigned width, height, number;
    unsigned char pixels[];
};

/* Sets a page in memory that the caller's allocator gives. */
struct page_header *pageset_render(page_allocator allocate, unsigned number, unsigned width, unsigned height)
{
    struct page_header *page = allocate(sizeof *page + (size_t)width * height);
    page->width = width;
    page->height = height;
    page->number = number;
    memset(page->pixels, 0xee, (size_t)width * height);
    for (unsigned y = 10; y + 10 < height; y += 12)
        memset(page->pixels + (size_t)y * width + 10, 0x11, width > 20 ? width - 20 : 0);
    return page;
}
