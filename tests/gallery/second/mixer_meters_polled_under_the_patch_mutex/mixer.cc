// A mixing engine with its own thread. Strips are guarded by one mutex; observers are Python callables.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace {

class Engine {
  public:
    std::mutex patch;
    std::vector<double> gains{0.0, -3.0, -6.0, -12.0};
    std::vector<PyObject *> observers;
    std::atomic<int> blocks{0};
    std::atomic<bool> notifying{false};

    void start()
    {
        worker = std::thread([this] { run(); });
        worker.detach();
    }

    void request_block()
    {
        {
            std::lock_guard<std::mutex> hold(wake_mutex);
            wanted++;
        }
        wake.notify_one();
    }

    double gain(int strip)
    {
        std::lock_guard<std::mutex> hold(patch);
        return gains.at(strip);
    }

  private:
    void run()
    {
        for (;;) {
            {
                std::unique_lock<std::mutex> hold(wake_mutex);
                wake.wait(hold, [this] { return wanted > 0; });
                wanted--;
            }
            std::lock_guard<std::mutex> hold(patch);
            for (double &gain : gains)
                gain *= 0.99;
            blocks++;
            notifying = true;
            notify_observers();
            notifying = false;
        }
    }

    void notify_observers()
    {
        PyGILState_STATE state = PyGILState_Ensure();
        for (PyObject *observer : observers) {
            PyObject *done = PyObject_CallFunction(observer, "i", blocks.load());
            if (!done)
                PyErr_Print();
            Py_XDECREF(done);
        }
        PyGILState_Release(state);
    }

    std::thread worker;
    std::mutex wake_mutex;
    std::condition_variable wake;
    int wanted = 0;
};

Engine *engine;

PyObject *observe(PyObject *, PyObject *callable)
{
    Py_INCREF(callable);
    std::lock_guard<std::mutex> hold(engine->patch);
    engine->observers.push_back(callable);
    Py_RETURN_NONE;
}

PyObject *render(PyObject *, PyObject *)
{
    engine->request_block();
    Py_RETURN_NONE;
}

PyObject *rendering(PyObject *, PyObject *)
{
    return PyBool_FromLong(engine->notifying.load());
}

PyObject *gain(PyObject *, PyObject *strip)
{
    return PyFloat_FromDouble(engine->gain((int)PyLong_AsLong(strip)));
}

PyMethodDef methods[] = {
    {"observe", observe, METH_O, nullptr},
    {"render", render, METH_NOARGS, nullptr},
    {"rendering", rendering, METH_NOARGS, nullptr},
    {"gain", gain, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "mixer", nullptr, -1, methods};

} // namespace

PyMODINIT_FUNC PyInit_mixer()
{
    engine = new Engine;
    engine->start();
    return PyModule_Create(&definition);
}
