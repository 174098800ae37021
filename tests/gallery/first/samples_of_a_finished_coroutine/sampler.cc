// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <coroutine>
#include <exception>
#include <vector>
struct Gen{ struct promise_type{ long v; Gen get_return_object(){return Gen{std::coroutine_handle<promise_type>::from_promise(*this)};} std::suspend_always initial_suspend(){return {};} std::suspend_never final_suspend() noexcept {return {};} std::suspend_always yield_value(long x){v=x;return{};} void return_void(){} void unhandled_exception(){std::terminate();} }; std::coroutine_handle<promise_type> h; };
static Gen samples(std::vector<long> v){ for(long x: v) co_yield x; }
static Gen g{nullptr};
static PyObject *start(PyObject*, PyObject *o){ std::vector<long> v; for(long i=0;i<PyLong_AsLong(o);i++) v.push_back(i); g=samples(v); Py_RETURN_NONE; }
static PyObject *step(PyObject*, PyObject*){ g.h.resume(); return PyLong_FromLong(g.h.promise().v); }
static PyMethodDef ms[]={{"start",start,METH_O,0},{"step",step,METH_NOARGS,0},{0}};
static struct PyModuleDef M={PyModuleDef_HEAD_INIT,"sampler",0,-1,ms};
PyMODINIT_FUNC PyInit_sampler(void){ return PyModule_Create(&M); }
