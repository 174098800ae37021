/* Rasters of floats; cells that nobody has visited hold NODATA. */
#include <stdlib.h>

#define NODATA -9999.0f

struct raster {
    long columns, rows;
    float *cells;
};

static void raster_clear(struct raster *raster)
{
    long number = raster->columns * raster->rows;
    for (long i = 0; i < number; i++)
        raster->cells[i] = NODATA;
}

struct raster *raster_new(long columns, long rows)
{
    struct raster *raster = malloc(sizeof *raster);
    raster->columns = columns;
    raster->rows = rows;
    raster->cells = malloc(columns * rows * sizeof(float));
    raster_clear(raster);
    return raster;
}

void raster_put(struct raster *raster, long column, long row, float value)
{
    raster->cells[row * raster->columns + column] = value;
}

float raster_mean(const struct raster *raster)
{
    double sum = 0;
    long count = 0;
    for (long i = 0; i < raster->columns * raster->rows; i++)
        if (raster->cells[i] != NODATA) {
            sum += raster->cells[i];
            count++;
        }
    return count ? sum / count : NODATA;
}

void raster_free(struct raster *raster)
{
    free(raster->cells);
    free(raster);
}
