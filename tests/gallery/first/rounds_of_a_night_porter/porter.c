// SPDX-License-Identifier: Apache-2.0
/* A porter looks at the house in regular rounds, on a stack of its own. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>

#define ROOM (64 << 10)

typedef struct {
    PyObject_HEAD
    void *stack;
    long every;
} Rounds;

static volatile sig_atomic_t rounds_made;
static struct sigaction before;

static void
make_round(int number, siginfo_t *info, void *context)
{
    rounds_made++;
}

static int
rounds_init(Rounds *self, PyObject *args, PyObject *kwargs)
{
    return PyArg_ParseTuple(args, "l", &self->every) ? 0 : -1;
}

static PyObject *
rounds_enter(Rounds *self, PyObject *unused)
{
    struct sigaction action = {.sa_sigaction = make_round};
    struct itimerval timer = {{0, self->every * 1000}, {0, self->every * 1000}};
    stack_t stack = {0};

    self->stack = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (self->stack == MAP_FAILED) {
        return PyErr_SetFromErrno(PyExc_OSError);
    }
    stack.ss_sp = self->stack;
    stack.ss_size = ROOM;
    sigaltstack(&stack, NULL);
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigaction(SIGALRM, &action, &before);
    setitimer(ITIMER_REAL, &timer, NULL);
    Py_INCREF(self);
    return (PyObject *)self;
}

static PyObject *
rounds_exit(Rounds *self, PyObject *args)
{
    struct itimerval timer = {{0, 0}, {0, 0}};

    munmap(self->stack, ROOM);
    self->stack = NULL;
    if (rounds_made > 0 && before.sa_handler != SIG_DFL) {
        setitimer(ITIMER_REAL, &timer, NULL);
        sigaction(SIGALRM, &before, NULL);
    }
    return PyLong_FromLong(rounds_made);
}

static PyMethodDef rounds_methods[] = {
    {"__enter__", (PyCFunction)rounds_enter, METH_NOARGS},
    {"__exit__", (PyCFunction)rounds_exit, METH_VARARGS},
    {NULL},
};

static PyTypeObject rounds_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "porter.Rounds",
    .tp_basicsize = sizeof(Rounds),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_methods = rounds_methods,
    .tp_init = (initproc)rounds_init,
    .tp_new = PyType_GenericNew,
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "porter", NULL, -1};

PyMODINIT_FUNC
PyInit_porter(void)
{
    PyObject *module = PyModule_Create(&definition);

    if (PyType_Ready(&rounds_type) < 0) {
        return NULL;
    }
    Py_INCREF(&rounds_type);
    PyModule_AddObject(module, "Rounds", (PyObject *)&rounds_type);
    return module;
}
