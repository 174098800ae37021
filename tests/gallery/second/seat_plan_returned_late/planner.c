// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdio.h>
#include <unistd.h>

/* Waits until somebody says go; tells where the way back of this call lies. */
__attribute__((noinline)) static int wait_for_go(void)
{
    char answer[16];
    unsigned long back = (unsigned long)__builtin_frame_address(0) + sizeof(void *);
    FILE *file = fopen("ready", "w");
    if (file == NULL) {
        return -1;
    }
    fprintf(file, "{\"pid\": %d, \"memory\": [[%lu, 4]]}\n", (int)getpid(), back + 4);
    fclose(file);
    return read(0, answer, sizeof answer) > 0 ? 0 : -1;
}

__attribute__((noinline)) static long seats_of(long rows, long seats)
{
    long taken = 0;
    if (wait_for_go() < 0) {
        return -1;
    }
    for (long row = 0; row < rows; row++) {
        taken += row % 5 ? seats : seats - 2;
    }
    return taken;
}

static PyObject *plan(PyObject *self, PyObject *args)
{
    long rows, seats;
    if (!PyArg_ParseTuple(args, "ll", &rows, &seats)) {
        return NULL;
    }
    return PyLong_FromLong(seats_of(rows, seats));
}

static PyMethodDef methods[] = {
    {"plan", plan, METH_VARARGS, NULL},
    {NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "planner", NULL, -1, methods};

PyMODINIT_FUNC PyInit_planner(void)
{
    return PyModule_Create(&module);
}
