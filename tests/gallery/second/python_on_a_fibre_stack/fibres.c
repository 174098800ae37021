// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <sys/mman.h>
#include <ucontext.h>
#define PAGE 4096
static ucontext_t caller, fibre;
static PyObject *body, *result;
static void enter(void) { result = PyObject_CallObject(body, NULL); }
static PyObject *fibres_run(PyObject *self, PyObject *args)
{
    int kib;
    if (!PyArg_ParseTuple(args, "Oi", &body, &kib))
        return NULL;
    size_t size = (size_t)kib * 1024;
    char *memory = mmap(0, size + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(memory, PAGE, PROT_NONE);
    getcontext(&fibre);
    fibre.uc_stack.ss_sp = memory + PAGE;
    fibre.uc_stack.ss_size = size;
    fibre.uc_link = &caller;
    makecontext(&fibre, enter, 0);
    swapcontext(&caller, &fibre);
    munmap(memory, size + PAGE);
    return result;
}
static PyMethodDef methods[] = {{"run", fibres_run, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "fibres", "", -1, methods};
PyMODINIT_FUNC PyInit_fibres(void) { return PyModule_Create(&module); }
