/* SPDX-License-Identifier: Apache-2.0 */
struct widget {
    long number, frames[6] = {};
    explicit widget(long n) : number(n) {}
    virtual ~widget() {}
    virtual int draw() { return (int)++frames[0]; }
};

struct label : widget {
    using widget::widget;
    int draw() override { return 100 + (int)number; }
};

extern "C" void *make(int n)
{
    return n % 2 ? static_cast<widget *>(new label(n)) : new widget(n);
}
extern "C" int draw(void *which) { return static_cast<widget *>(which)->draw(); }
extern "C" void drop(void *which) { delete static_cast<widget *>(which); }
