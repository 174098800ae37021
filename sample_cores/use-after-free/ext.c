/* SPDX-License-Identifier: Apache-2.0
 *
 * _sessions: a table of sessions in C, linked from the newest to the oldest.  expire() frees a
 * session and takes it off the list of its user, but not off the list of recent ones: the bug.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

struct session {
    struct session *older; /* offset 0: where malloc writes its own link when the block is free */
    long user;
    unsigned long token;
};

#define USERS 64

static struct session *recent;          /* every session, the newest first */
static struct session *of_user[USERS];

static PyObject *
open_session(PyObject *module, PyObject *args)
{
    long user;
    unsigned long token;
    if (!PyArg_ParseTuple(args, "lk", &user, &token))
        return NULL;
    struct session *session = PyMem_RawMalloc(sizeof(*session));
    if (session == NULL)
        return PyErr_NoMemory();
    *session = (struct session){.older = recent, .user = user, .token = token};
    recent = of_user[user % USERS] = session;
    Py_RETURN_NONE;
}

static PyObject *
expire(PyObject *module, PyObject *args)
{
    long user;
    if (!PyArg_ParseTuple(args, "l", &user))
        return NULL;
    PyMem_RawFree(of_user[user % USERS]);
    of_user[user % USERS] = NULL; /* and `recent` still leads to it */
    Py_RETURN_NONE;
}

static __attribute__((noinline)) unsigned long
sum_tokens(const struct session *session)
{
    unsigned long sum = 0;
    for (; session != NULL; session = session->older)
        sum ^= session->token;
    return sum;
}

static PyObject *
digest(PyObject *module, PyObject *unused)
{
    return PyLong_FromUnsignedLong(sum_tokens(recent));
}

static PyMethodDef methods[] = {
    {"open", open_session, METH_VARARGS, "Open a session of a user."},
    {"expire", expire, METH_VARARGS, "End the session of a user."},
    {"digest", digest, METH_NOARGS, "Sum the tokens of all sessions."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, .m_name = "_sessions", .m_size = -1, .m_methods = methods,
};

PyMODINIT_FUNC
PyInit__sessions(void)
{
    return PyModule_Create(&module);
}
