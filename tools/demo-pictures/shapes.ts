/** The distance of a point to a shape, negative inside. The picture has the corners (0, 0) and (1, 1). */
export type Shape = (x: number, y: number) => number;

export const circle = (centreX: number, centreY: number, radius: number): Shape => {
  return (x, y) => Math.hypot(x - centreX, y - centreY) - radius;
};

/** @param round radius of the corners */
export const box = (left: number, top: number, right: number, bottom: number, round = 0): Shape => {
  const [centreX, centreY] = [(left + right) / 2, (top + bottom) / 2];
  const [halfX, halfY] = [(right - left) / 2 - round, (bottom - top) / 2 - round];
  return (x, y) => {
    const [dx, dy] = [Math.abs(x - centreX) - halfX, Math.abs(y - centreY) - halfY];
    return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - round;
  };
};

/** A line with round ends. */
export const line = (fromX: number, fromY: number, toX: number, toY: number, width: number): Shape => {
  const [alongX, alongY] = [toX - fromX, toY - fromY];
  const squared = alongX ** 2 + alongY ** 2;
  return (x, y) => {
    const part = Math.min(Math.max(((x - fromX) * alongX + (y - fromY) * alongY) / squared, 0), 1);
    return Math.hypot(x - fromX - part * alongX, y - fromY - part * alongY) - width / 2;
  };
};

/** What lies below a slope that rises and falls between two heights. */
export const hills = (height: number, swing: number, waves: number, phase: number): Shape => {
  return (x, y) => height + swing * Math.sin(waves * x * Math.PI + phase) - y;
};

export const peak = (topX: number, topY: number, slope: number): Shape => {
  return (x, y) => (topY - y + slope * Math.abs(x - topX)) / Math.hypot(1, slope);
};

export const all =
  (...shapes: Shape[]): Shape =>
  (x, y) =>
    Math.min(...shapes.map((shape) => shape(x, y)));
export const common =
  (...shapes: Shape[]): Shape =>
  (x, y) =>
    Math.max(...shapes.map((shape) => shape(x, y)));
export const without =
  (shape: Shape, hole: Shape): Shape =>
  (x, y) =>
    Math.max(shape(x, y), -hole(x, y));
export const ring =
  (shape: Shape, width: number): Shape =>
  (x, y) =>
    Math.abs(shape(x, y)) - width / 2;
