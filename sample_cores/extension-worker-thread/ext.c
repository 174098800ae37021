/* SPDX-License-Identifier: Apache-2.0
 *
 * _segments.checksum(parts, announced): chain the parts, release the GIL, sum `announced`
 * segments.  Nobody checks that the chain is as long as announced: the bug.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

struct segment {
    const unsigned char *data;
    size_t length; /* offset 8: what the crash reads through a NULL pointer */
    struct segment *next;
};

static __attribute__((noinline)) unsigned long
segment_sum(const struct segment *segment)
{
    unsigned long sum = segment->length;
    for (size_t i = 0; i < segment->length; i++)
        sum = sum * 31 + segment->data[i];
    return sum;
}

static __attribute__((noinline)) unsigned long
sum_chain(const struct segment *segment, long announced)
{
    unsigned long sum = 0;
    for (long i = 0; i < announced; i++) {
        sum ^= segment_sum(segment);
        segment = segment->next;
    }
    return sum;
}

static struct segment *
make_chain(PyObject *parts)
{
    Py_ssize_t count = PyList_GET_SIZE(parts);
    struct segment *chain = PyMem_RawCalloc(count, sizeof(*chain));
    for (Py_ssize_t i = 0; chain != NULL && i < count; i++) {
        PyObject *part = PyList_GET_ITEM(parts, i);
        chain[i].data = (const unsigned char *)PyBytes_AsString(part);
        chain[i].length = PyBytes_Size(part);
        chain[i].next = i + 1 < count ? &chain[i + 1] : NULL;
    }
    return chain;
}

static PyObject *
checksum(PyObject *module, PyObject *args)
{
    PyObject *parts;
    long announced;
    unsigned long sum;

    if (!PyArg_ParseTuple(args, "O!l", &PyList_Type, &parts, &announced))
        return NULL;
    struct segment *chain = make_chain(parts);
    if (chain == NULL)
        return PyErr_NoMemory();
    Py_BEGIN_ALLOW_THREADS
    sum = sum_chain(chain, announced);
    Py_END_ALLOW_THREADS
    PyMem_RawFree(chain);
    return PyLong_FromUnsignedLong(sum);
}

static PyMethodDef methods[] = {
    {"checksum", checksum, METH_VARARGS, "Sum the bytes of the announced number of parts."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, .m_name = "_segments", .m_size = -1, .m_methods = methods,
};

PyMODINIT_FUNC
PyInit__segments(void)
{
    return PyModule_Create(&module);
}
