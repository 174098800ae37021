/* SPDX-License-Identifier: Apache-2.0
 * One way to die a mode: each leaves the core of one kind of fault, made as programs make it.
 * cc -O1 -fno-omit-frame-pointer -fcf-protection=none -pthread dying.c -o dying; dying MODE
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define PAGE 4096UL
#define KIB 1024UL
#define MIB (1024UL * KIB)
#define FAR 0x2a5fc3000000UL /* nothing is mapped anywhere near: mappings are at 0x5... and 0x7f... */
#define MODE(name) static void m_##name(void)
#define READ(at) (void)*(volatile char *)(at)
#define WRITE(at) (*(volatile char *)(at) = 1)

static volatile uintptr_t sink;

static char *pages(size_t count) {
    char *at = mmap(0, count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) _exit(90);
    return at;
}

/* `before` pages, `closed` without permissions, `behind` pages; far from every other mapping. */
static char *closed_pages(size_t before, size_t closed, size_t behind) {
    size_t all = before + closed + behind;
    char *at = mmap((void *)FAR, all * PAGE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (at == MAP_FAILED) _exit(90);
    if (closed) mprotect(at + before * PAGE, closed * PAGE, PROT_NONE);
    return at + before * PAGE;
}

static void call(uintptr_t to) { ((void (*)(void))to)(); sink = 1; }
static void return_to(uintptr_t to) { __asm__ volatile("push $0x77; push %0; ret" : : "r"(to) : "memory"); }
static void jump_to(uintptr_t to) { __asm__ volatile("add $8, %%rsp; and $-16, %%rsp; push $0x55; add $8, %%rsp; push $0x123; push $0x77; add $8, %%rsp; jmp *%0" : : "r"(to) : "memory"); }
__attribute__((noinline)) static uint64_t load(uintptr_t at) { return *(volatile uint64_t *)at; }
__attribute__((noinline)) static void store(uintptr_t at) { *(volatile uint64_t *)at = 1; }

/* -- low addresses ------------------------------------------------------------------------- */
MODE(null_read) { sink = load(0); }
MODE(null_write) { store(0); }
MODE(null_member) { sink = load(0x18); }
MODE(null_last_byte) { READ(4095); }
MODE(near_null_read) { sink = load(0x2000); }
MODE(near_null_write) { store(0xfff0); }
MODE(low_first_behind) { sink = load(0x10000); } /* 65536: no longer low */
MODE(call_null) { call(0); }
MODE(call_null_member) { call(0x10); }
MODE(call_low) { call(0x2000); }
MODE(jump_null) { jump_to(0); }
MODE(jump_low) { jump_to(0x3000); }
MODE(return_null) { return_to(0); }
MODE(return_low) { return_to(0x2000); }
MODE(null_virtual_call) { __asm__ volatile("xor %%eax, %%eax; call *0x28(%%rax)" : : : "memory", "rax"); }
MODE(null_copy) { memcpy(0, (void *)&m_null_read, 64); }

/* -- control in memory that cannot be executed ---------------------------------------------- */
MODE(call_heap) { call((uintptr_t)malloc(64)); }
MODE(call_stack) { char on[64]; memset(on, 0x90, 64); call((uintptr_t)on); sink = on[3]; }
MODE(call_read_only) { static const char text[64] = "text"; call((uintptr_t)text); }
MODE(call_unmapped) { call(FAR + 0x123); }
MODE(call_closed) { call((uintptr_t)closed_pages(1, 1, 0) + 8); }
MODE(jump_unmapped) { jump_to(FAR + 0x124); }
MODE(return_heap) { return_to((uintptr_t)malloc(64)); }
MODE(return_unmapped) { return_to(FAR + 0x125); }
MODE(call_noncanonical) { call(0x1234567812345678UL); }
MODE(jump_noncanonical) { jump_to(0x1234567812345678UL); }
MODE(return_noncanonical) { return_to(0x6f77737361702020UL); }
MODE(run_into_closed) {
    char *at = closed_pages(2, 0, 0);
    memset(at - 2 * PAGE, 0x90, PAGE);
    at[-(long)PAGE - 1] = 0x48; /* first byte of an instruction whose rest may not be executed */
    mprotect(at - 2 * PAGE, PAGE, PROT_READ | PROT_EXEC);
    call((uintptr_t)at - PAGE - 4);
}

/* -- addresses that the CPU or the kernel never grants --------------------------------------- */
MODE(noncanonical_read) { sink = load(0x0020123412341230UL); }
MODE(noncanonical_write) { store(0x8000123412341230UL); }
MODE(noncanonical_text) { sink = load(0x6173207361687320UL); }
MODE(noncanonical_poison) { sink = load(0xddddddddddddddddUL); }
MODE(noncanonical_rbp) {
    __asm__ volatile("push %%rbp; mov %0, %%rbp; mov 8(%%rbp), %%rax" : : "r"(0x4321a00012345678UL) : "rax", "memory");
}
MODE(noncanonical_rsp) { __asm__ volatile("mov %0, %%rsp; push $1" : : "r"(0x4321a00012345678UL) : "memory"); }
MODE(first_noncanonical) { sink = load(0x800000000000UL); }
MODE(behind_main_stack) { sink = load(0x7ffffffff000UL); } /* canonical; the kernel maps nothing there */
MODE(kernel_read) { sink = load(0xffffffff81000000UL); }
MODE(kernel_write) { store(0xffff888000001230UL); }
MODE(minus_sixteen) { sink = load(-16L); }
MODE(vsyscall_read) { sink = load(0xffffffffff600000UL); }
MODE(vsyscall_write) { store(0xffffffffff600000UL); }
MODE(vsyscall_odd_call) { call(0xffffffffff600123UL); }
MODE(call_kernel) { call(0xffffffff81000000UL); }

/* -- mapped, but not for this ---------------------------------------------------------------- */
MODE(write_constant) { static const char text[] = "constant"; WRITE(text); }
MODE(write_text) { WRITE((char *)&m_null_read); }
MODE(write_protected) { char *at = closed_pages(1, 0, 0) - PAGE; mprotect(at, PAGE, PROT_READ); WRITE(at + 16); }
MODE(guard_read) { READ(closed_pages(4, 1, 0) + 8); }
MODE(guard_write) { WRITE(closed_pages(4, 1, 0)); }
MODE(guard_between) { WRITE(closed_pages(1, 1, 1) + 100); }
MODE(guard_below) { READ(closed_pages(0, 1, 4) + PAGE - 8); }
MODE(guard_32k) { WRITE(closed_pages(4, 8, 0) + 8 * PAGE - 8); }
MODE(guard_36k) { WRITE(closed_pages(4, 9, 0)); }
MODE(guard_256k) { WRITE(closed_pages(4, 64, 4) + 130 * KIB); }
MODE(guard_1m) { WRITE(closed_pages(4, 256, 4) + 512 * KIB); }
MODE(reserved_near) { WRITE(closed_pages(4, 16384, 0) + 16); }
MODE(reserved_middle) { READ(closed_pages(4, 16384, 4) + 32 * MIB); }
MODE(closed_alone) { READ(closed_pages(0, 2, 0) + 64); }
MODE(closed_data) { char *at = closed_pages(64, 0, 0) - 64 * PAGE; mprotect(at, 64 * PAGE, PROT_NONE); READ(at + 70 * KIB + 8); }

/* -- nothing is mapped ------------------------------------------------------------------------- */
MODE(wild_read) { sink = load(FAR + 8 * MIB + 0x120); }
MODE(wild_write) { store(FAR + 8 * MIB + 0x120); }
MODE(past_end) { char *at = closed_pages(4, 0, 0); for (long i = -8;; i++) WRITE(at + i); }
MODE(past_end_60k) { READ(closed_pages(4, 0, 0) + 60 * KIB); }
MODE(past_end_128k) { READ(closed_pages(4, 0, 0) + 128 * KIB + 0x18); }
MODE(before_start) { char *at = closed_pages(0, 0, 4); for (long i = 8;; i--) READ(at + i); }
MODE(unmapped_again) { char *at = closed_pages(64, 0, 64); munmap(at - 64 * PAGE, 128 * PAGE); READ(at); }
MODE(copy_past_end) { char *to = pages(32); __asm__ volatile("rep movsb" : : "S"(closed_pages(4, 0, 0) - 100), "D"(to), "c"(500UL) : "memory"); }
MODE(copy_to_wild) { char *from = pages(1); __asm__ volatile("rep movsq" : : "S"(from), "D"(FAR + 8 * MIB + 0x128), "c"(8UL) : "memory"); }
MODE(int_pair) { sink = load(0x0000000300000007UL); }
MODE(half_pointer) { char on[64]; sink = load((uintptr_t)on & 0xffffffffUL & -8UL); }

/* -- stacks ------------------------------------------------------------------------------------ */
__attribute__((noinline)) static int deep(volatile char *up) { volatile char here[512]; here[0] = up[0]; return deep(here) + here[1]; }
static int deep_with(volatile char *up, size_t size) __attribute__((noinline));
static int deep_with(volatile char *up, size_t size) { volatile char here[size]; here[0] = up[0]; return deep_with(here, size) + here[1]; }
MODE(recursion) { struct rlimit r = {256 * KIB, 8 * MIB}; setrlimit(RLIMIT_STACK, &r); char c = 0; deep(&c); }
static void *run_deep(void *unused) { (void)unused; char c = 0; return (void *)(long)deep(&c); }
static void *run_frames_of_200k(void *unused) { (void)unused; char c = 0; return (void *)(long)deep_with(&c, 200 * KIB); }
static void in_thread(void *(*run)(void *), size_t stack, size_t guard) {
    pthread_attr_t a; pthread_t t;
    pthread_attr_init(&a); pthread_attr_setstacksize(&a, stack); pthread_attr_setguardsize(&a, guard);
    if (pthread_create(&t, &a, run, 0)) _exit(91);
    pthread_join(t, 0);
}
MODE(thread_recursion) { in_thread(run_deep, 128 * KIB, PAGE); }
MODE(thread_guard_64k) { in_thread(run_deep, 256 * KIB, 64 * KIB); }
MODE(thread_guard_256k) { in_thread(run_frames_of_200k, MIB, 256 * KIB); }
MODE(thread_guard_4m) { in_thread(run_frames_of_200k, 6 * MIB, 4 * MIB); }
MODE(large_alloca) { sink = deep_with("x", (size_t)20 * MIB + 4321); }
MODE(large_alloca_power_of_two) { sink = deep_with("x", 32 * MIB); }
__attribute__((noinline, optimize("omit-frame-pointer"))) static int large_frame(volatile char *up) {
    volatile char here[24 * MIB]; here[5] = up[0]; sink = (uintptr_t)here; return here[6];
}
MODE(large_frame) { sink = large_frame("x"); }
static void *run_large_frame(void *unused) { (void)unused; return (void *)(long)large_frame("x"); }
MODE(thread_large_frame) { in_thread(run_large_frame, 256 * KIB, PAGE); }
static void *run_wild(void *unused) { (void)unused; return (void *)load(FAR + 8 * MIB + 0x120); }
MODE(thread_wild) { in_thread(run_wild, 256 * KIB, PAGE); }
static void *run_guard_above(void *unused) { /* through a pointer, rsp far from the end */
    (void)unused; pthread_attr_t a; void *low; size_t size;
    pthread_getattr_np(pthread_self(), &a); pthread_attr_getstack(&a, &low, &size);
    WRITE((char *)low - 16); return 0;
}
MODE(thread_guard_by_pointer) { in_thread(run_guard_above, MIB, PAGE); }
static void handler_default(int signo) { signal(signo, SIG_DFL); }
static void handler_raise(int signo) { signal(signo, SIG_DFL); raise(signo); }
static void handler_abort(int signo) { (void)signo; abort(); }
static void handler_deep(int signo) { (void)signo; char c = 0; deep(&c); }
static void handle(void (*how)(int), int flags, int signo) { struct sigaction a; memset(&a, 0, sizeof a); a.sa_handler = how; a.sa_flags = flags; sigaction(signo, &a, 0); }
static void other_stack(size_t size) { stack_t s; memset(&s, 0, sizeof s); s.ss_sp = closed_pages(1, 1, size / PAGE) + PAGE; s.ss_size = size; sigaltstack(&s, 0); }
MODE(recursion_handler_same_stack) { handle(handler_default, 0, SIGSEGV); m_recursion(); }
MODE(recursion_handler_returns) { other_stack(64 * KIB); handle(handler_default, SA_ONSTACK, SIGSEGV); m_recursion(); }
MODE(recursion_handler_raises) { other_stack(64 * KIB); handle(handler_raise, SA_ONSTACK, SIGSEGV); m_recursion(); }
MODE(handler_overflows_its_stack) { other_stack(16 * KIB); handle(handler_deep, SA_ONSTACK, SIGUSR1); raise(SIGUSR1); }
MODE(handler_aborts_after_null) { handle(handler_abort, 0, SIGSEGV); m_null_member(); }
MODE(handler_raises_after_wild) { handle(handler_raise, 0, SIGSEGV); m_wild_write(); }
MODE(handler_raises_after_divide) { handle(handler_raise, 0, SIGFPE); volatile int z = 0; sink = 12345 / z; }
static ucontext_t back, there;
static void on_context(void) { char c = 0; deep(&c); }
MODE(own_stack) { /* a coroutine's stack with a guard below */
    char *low = closed_pages(0, 1, 16) + PAGE;
    getcontext(&there); there.uc_stack.ss_sp = low; there.uc_stack.ss_size = 16 * PAGE; there.uc_link = &back;
    makecontext(&there, on_context, 0); swapcontext(&back, &there);
}
MODE(rsp_null) { __asm__ volatile("xor %%esp, %%esp; pop %%rax" : : : "memory"); }
MODE(rsp_null_push) { __asm__ volatile("mov $0x1000, %%esp; push $1" : : : "memory"); }
MODE(rsp_wild) { __asm__ volatile("mov %0, %%rsp; push $1" : : "r"(FAR + 8 * MIB + 0x128) : "memory"); }
MODE(rsp_odd) { __asm__ volatile("sub $3, %%rsp; mov 0(%0), %%rax" : : "r"(FAR + 8 * MIB + 0x128) : "rax", "memory"); }
MODE(rbp_null) { __asm__ volatile("push %%rbp; xor %%ebp, %%ebp; mov -8(%%rbp), %%rax" : : : "rax", "memory"); }

/* -- protection faults without an address ------------------------------------------------------- */
MODE(misaligned_load) { __asm__ volatile("movaps (%0), %%xmm0" : : "r"((char *)malloc(64) + 8) : "xmm0"); }
MODE(misaligned_store) { __asm__ volatile("movaps %%xmm0, (%0)" : : "r"((char *)malloc(64) + 4) : "memory"); }
MODE(misaligned_stack) { __asm__ volatile("sub $8, %%rsp; and $-16, %%rsp; add $8, %%rsp; movaps %%xmm0, (%%rsp)" : : : "memory"); }
MODE(misaligned_exchange) { __asm__ volatile("lock cmpxchg16b (%0)" : : "r"((char *)malloc(64) + 8) : "rax", "rdx", "memory"); }
MODE(misaligned_checked) { __asm__ volatile("pushf; orl $0x40000, (%%rsp); popf; mov (%0), %%rax" : : "r"((char *)malloc(64) + 1) : "rax", "memory"); }
MODE(privileged_hlt) { __asm__ volatile("hlt"); }
MODE(privileged_cli) { __asm__ volatile("cli"); }
MODE(privileged_in) { __asm__ volatile("in $0x60, %%al" : : : "rax"); }
MODE(privileged_out) { __asm__ volatile("mov $0x80, %%dx; out %%al, %%dx" : : : "rdx"); }
MODE(privileged_control_register) { __asm__ volatile("mov %%rax, %%cr3" : : : "memory"); }
MODE(privileged_msr) { __asm__ volatile("rdmsr" : : : "rax", "rdx"); }
MODE(privileged_interrupt) { __asm__ volatile("int $0x40"); }
MODE(segment_register) { __asm__ volatile("mov %0, %%ds" : : "r"(0x1230)); }

/* -- other faults -------------------------------------------------------------------------------- */
MODE(ill_ud2) { __builtin_trap(); }
MODE(ill_ud1) { __asm__ volatile(".byte 0x0f, 0xb9, 0xc0"); }
MODE(ill_in_64_bit) { __asm__ volatile(".byte 0x06"); }
MODE(ill_lock_prefix) { __asm__ volatile(".byte 0xf0, 0x90"); }
MODE(ill_vmx) { __asm__ volatile(".byte 0x0f, 0x01, 0xc2"); }
MODE(trap_int3) { __asm__ volatile("int3"); }
MODE(trap_long_int3) { __asm__ volatile(".byte 0xcd, 0x03"); }
MODE(trap_int1) { __asm__ volatile(".byte 0xf1"); }
MODE(trap_single_step) { __asm__ volatile("pushf; orl $0x100, (%%rsp); popf; nop; nop" : : : "memory"); }
MODE(divide_zero) { volatile int z = 0; sink = 12345 / z; }
MODE(divide_overflow) { volatile int a = (int)0x80000000, b = -1; sink = a / b; }
MODE(divide_sse) { unsigned csr = 0x1f80 & ~(1u << 9); __asm__ volatile("ldmxcsr %0" : : "m"(csr)); volatile double z = 0; sink = 1 / z; }
MODE(invalid_sse) { unsigned csr = 0x1f80 & ~(1u << 7); __asm__ volatile("ldmxcsr %0" : : "m"(csr)); volatile double z = 0; sink = z / z; }
MODE(divide_x87) { unsigned short cw = 0x37f & ~4; __asm__ volatile("fldcw %0; fld1; fldz; fdivrp; fwait" : : "m"(cw)); }
static char *file_of(size_t size, const char *name) {
    int fd = name ? open(name, O_RDWR | O_CREAT, 0600) : memfd_create("shared", 0);
    if (fd < 0 || ftruncate(fd, size)) _exit(92);
    char *at = mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED || ftruncate(fd, PAGE)) _exit(93);
    return at;
}
MODE(file_cut_read) { READ(file_of(4 * PAGE, "cut.data") + 2 * PAGE + 5); }
MODE(file_cut_write) { WRITE(file_of(4 * PAGE, "cut.data") + 3 * PAGE); }
MODE(file_cut_copy) { char to[64]; memcpy(to, file_of(4 * PAGE, "cut.data") + 2 * PAGE, 64); sink = to[5]; }
MODE(memfd_cut) { READ(file_of(4 * PAGE, 0) + 2 * PAGE); }

/* -- signals that somebody sent -------------------------------------------------------------------- */
MODE(raise_segv) { raise(SIGSEGV); }
MODE(raise_bus) { raise(SIGBUS); }
MODE(raise_fpe) { raise(SIGFPE); }
MODE(raise_quit) { raise(SIGQUIT); }
MODE(kill_itself_segv) { kill(getpid(), SIGSEGV); }
MODE(queue_itself_segv) { union sigval v = {.sival_int = 7}; sigqueue(getpid(), SIGSEGV, v); pause(); }
static void from_child(int how) {
    pid_t me = getpid(), child = fork();
    if (!child) {
        union sigval v = {.sival_ptr = (void *)0x7f0000dead00};
        if (how == 0) kill(me, SIGSEGV);
        if (how == 1) sigqueue(me, SIGSEGV, v);
        if (how == 2) syscall(SYS_tgkill, me, me, SIGSEGV);
        if (how == 3) kill(me, SIGABRT);
        if (how == 4) kill(me, SIGQUIT);
        if (how == 5) kill(me, SIGBUS);
        _exit(0);
    }
    for (;;) pause();
}
MODE(killed_segv) { from_child(0); }
MODE(killed_queue) { from_child(1); }
MODE(killed_thread_directed) { from_child(2); }
MODE(killed_abort) { from_child(3); }
MODE(killed_quit) { from_child(4); }
MODE(killed_bus) { from_child(5); }
MODE(cpu_limit) { struct rlimit r = {1, 5}; setrlimit(RLIMIT_CPU, &r); for (;;) sink++; }
MODE(file_size_limit) { struct rlimit r = {PAGE, PAGE}; setrlimit(RLIMIT_FSIZE, &r); int fd = open("large.data", O_RDWR | O_CREAT, 0600); char text[8192] = {0}; while (write(fd, text, sizeof text) > 0) ; }
MODE(timer) { handle(SIG_DFL, 0, SIGALRM); timer_t t; struct sigevent e; memset(&e, 0, sizeof e); e.sigev_notify = SIGEV_SIGNAL; e.sigev_signo = SIGQUIT; timer_create(CLOCK_REALTIME, &e, &t); struct itimerspec s = {{0, 0}, {0, 1000000}}; timer_settime(t, 0, &s, 0); for (;;) pause(); }
MODE(refused_call) {
    struct sock_filter f[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog p = {4, f};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p); syscall(SYS_getppid);
}

/* -- aborts ------------------------------------------------------------------------------------------ */
MODE(plain_abort) { abort(); }
MODE(failed_assertion) { volatile int rings = 0; assert(rings > 0); }
static void *volatile one, *volatile two, *volatile three;
MODE(double_free) { one = malloc(2000); two = malloc(2000); free(one); free(one); }
MODE(double_free_small) { one = malloc(24); free(one); free(one); }
MODE(free_inside) { one = malloc(2000); free((char *)one + 8); }
MODE(overrun_top) { one = malloc(24); memset(one, 'A', 40); two = malloc(3000); }
MODE(overrun_next) { one = malloc(2000); two = malloc(2000); three = malloc(2000); memset(one, 'A', 2020); free(two); }
__attribute__((noinline, optimize("stack-protector-all"))) static void smash(size_t count) { char on[16]; memset(on, 'S', count); sink = on[2]; }
MODE(stack_smashed) { volatile size_t n = 64; smash(n); }
MODE(fortified) { extern void *__memcpy_chk(void *, const void *, size_t, size_t); static char to[8]; volatile size_t n = 32; __memcpy_chk(to, "01234567890123456789012345678901", n, sizeof to); }

#include "modes.inc"

int main(int count, char **arguments) {
    if (count != 2) return 2;
    if (!getenv("KEEP_STDERR")) if (!freopen("/dev/null", "w", stderr)) return 3;
    for (size_t i = 0; i < sizeof MODES / sizeof *MODES; i++)
        if (!strcmp(MODES[i].name, arguments[1])) { MODES[i].run(); return 1; }
    return 4;
}
