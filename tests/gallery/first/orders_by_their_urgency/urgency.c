// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
struct queue { long size, capacity, hours[16]; PyObject **orders; };
static void queue_free(PyObject *capsule)
{
    struct queue *queue = PyCapsule_GetPointer(capsule, "queue");
    for (long n = 0; n < queue->size; n++)
        Py_DECREF(queue->orders[n]);
    PyMem_Free(queue->orders);
    PyMem_RawFree(queue);
}
static PyObject *urgency_queue(PyObject *self, PyObject *capacity)
{
    struct queue *made = PyMem_RawCalloc(1, sizeof *made);
    made->capacity = PyLong_AsLong(capacity);
    made->orders = PyMem_Calloc(made->capacity, sizeof(PyObject *));
    return PyCapsule_New(made, "queue", queue_free);
}
static PyObject *urgency_push(PyObject *self, PyObject *args)
{
    PyObject *capsule, *order;
    long hours;
    if (!PyArg_ParseTuple(args, "OlO", &capsule, &hours, &order))
        return NULL;
    struct queue *queue = PyCapsule_GetPointer(capsule, "queue");
    if (!queue)
        return NULL;
    if (queue->size > queue->capacity)
        Py_RETURN_FALSE;
    long at = queue->size++;
    for (; at > 0 && queue->hours[at - 1] > hours; at--) {
        queue->hours[at] = queue->hours[at - 1];
        queue->orders[at] = queue->orders[at - 1];
    }
    queue->hours[at] = hours;
    Py_INCREF(order);
    queue->orders[at] = order;
    Py_RETURN_TRUE;
}
static PyMethodDef methods[] = {{"queue", urgency_queue, METH_O, ""},
                                {"push", urgency_push, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "urgency", "", -1, methods};
PyMODINIT_FUNC PyInit_urgency(void) { return PyModule_Create(&module); }
