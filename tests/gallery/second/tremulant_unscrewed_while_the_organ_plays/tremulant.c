/* An effect that lets the wind tremble. */

static float depth = 0.25f;

void
tremulant_set_depth(double wanted)
{
    depth = (float)wanted;
}

void
tremulant_apply(float *block, int length, long position)
{
    for (int i = 0; i < length; i++) {
        long phase = (position + i) % 8000;
        float swing = phase < 4000 ? phase / 4000.0f : 2 - phase / 4000.0f;
        block[i] *= 1 - depth * swing;
    }
}
