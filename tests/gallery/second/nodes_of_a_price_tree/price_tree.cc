// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

class Tree {
public:
    Tree(double spot, double step, int depth)
    {
        for (int level = 0; level <= depth; level++) {
            std::vector<double> nodes;
            for (int ups = 0; ups <= level; ups++)
                nodes.push_back(spot * std::pow(step, 2 * ups - level));
            levels_.push_back(nodes);
        }
    }

    double price(int level, int ups) const { return levels_.at(level).at(ups); }

private:
    std::vector<std::vector<double>> levels_;
};

extern "C" Tree *tree_new(double spot, double step, int depth)
{
    return new Tree(spot, step, depth);
}

extern "C" double tree_price(const Tree *tree, int level, int ups) noexcept
{
    return tree->price(level, ups);
}
