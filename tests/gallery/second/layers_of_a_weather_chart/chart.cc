// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

class Layer {
public:
    virtual ~Layer() = default;
    virtual double paint(double x, double y) = 0;
    virtual void viewport(double zoom) { zoom_ = zoom; }

protected:
    double zoom_ = 1;
};

class Isobars : public Layer {
public:
    explicit Isobars(double step) : step_(step) {}
    double paint(double x, double y) override { return step_ * (x + y) * zoom_; }

private:
    double step_;
    double cache_[8] = {};
};

class Fronts : public Layer {
public:
    double paint(double x, double y) override { return x - y * zoom_; }

private:
    double cache_[6] = {};
};

class Chart {
public:
    void add(Layer *layer)
    {
        layers_.emplace_back(layer);
        zoomed_.push_back(layer);
    }

    void remove(Layer *layer)
    {
        auto match = [layer](const std::unique_ptr<Layer> &each) { return each.get() == layer; };
        layers_.erase(std::remove_if(layers_.begin(), layers_.end(), match), layers_.end());
    }

    void zoom(double factor)
    {
        for (Layer *layer : zoomed_)
            layer->viewport(factor);
    }

    double paint(double x, double y)
    {
        double value = 0;
        for (auto &layer : layers_)
            value += layer->paint(x, y);
        return value;
    }

    void caption(const char *text) { captions_.push_back(strdup(text)); }

private:
    std::vector<std::unique_ptr<Layer>> layers_;
    std::vector<Layer *> zoomed_;
    std::vector<char *> captions_;
};

extern "C" {
Chart *chart_new() { return new Chart; }
Layer *chart_isobars(Chart *chart, double step)
{
    auto *layer = new Isobars(step);
    chart->add(layer);
    return layer;
}
Layer *chart_fronts(Chart *chart)
{
    auto *layer = new Fronts;
    chart->add(layer);
    return layer;
}
void chart_remove(Chart *chart, Layer *layer) { chart->remove(layer); }
void chart_zoom(Chart *chart, double factor) { chart->zoom(factor); }
void chart_caption(Chart *chart, const char *text) { chart->caption(text); }
double chart_paint(Chart *chart, double x, double y) { return chart->paint(x, y); }
}
