// What a cost grows with: the exponent of a power of the size.

/**
 * Slope of the logarithms by least squares: 0 does not grow, 1 is linear. Throws without a slope, since no limit would hold a
 * NaN.
 */
export function fitExponent(sizes, costs) {
  const x = sizes.map(Math.log);
  const y = costs.map(Math.log);
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(x), mean(y)];
  const above = x.reduce((sum, value, index) => sum + (value - meanX) * (y[index] - meanY), 0);
  const below = x.reduce((sum, value) => sum + (value - meanX) ** 2, 0);
  const exponent = above / below;
  if (!Number.isFinite(exponent)) {
    throw new Error(
      `No exponent fits the costs ${costs} of the sizes ${sizes}: give two sizes or more, and costs above 0`,
    );
  }
  return exponent;
}
