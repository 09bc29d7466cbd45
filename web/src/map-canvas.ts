import { cssColour } from './dom';
import type { MapEvents, MapPoints, MapView } from './map-view';

const REACH = 12;
const MARGIN = 0.96;

/** The map without WebGL: all points on a plain canvas, with no zoom. */
export function canvasMap(canvas: HTMLCanvasElement, points: MapPoints, events: MapEvents): MapView {
  const count = points.x.length;
  let categories = new Uint16Array(count);
  let colours: string[] = [];
  let highlighted = -1;

  const place = (point: number): [number, number] => {
    const { clientWidth: width, clientHeight: height } = canvas;
    const half = (Math.min(width, height) / 2) * MARGIN;
    return [width / 2 + half * (points.x[point] as number), height / 2 - half * (points.y[point] as number)];
  };

  const draw = () => {
    const context = canvas.getContext('2d');
    if (!context) return;
    const scale = window.devicePixelRatio || 1;
    canvas.width = Math.round(canvas.clientWidth * scale);
    canvas.height = Math.round(canvas.clientHeight * scale);
    context.scale(scale, scale);
    context.fillStyle = cssColour('--map');
    context.fillRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    const size = count > 20000 ? 1.5 : count > 4000 ? 2.5 : 4;
    const faint = cssColour('--faint');
    const pass = (chosen: boolean) => {
      for (let point = 0; point < count; point++) {
        const category = categories[point] as number;
        const stands = highlighted < 0 || category === highlighted;
        if (stands !== chosen) continue;
        context.fillStyle = stands ? (colours[category] ?? faint) : faint;
        const [left, top] = place(point);
        context.fillRect(left - size / 2, top - size / 2, size, size);
      }
    };
    pass(false);
    pass(true);
  };

  const nearest = (event: MouseEvent): number => {
    let best = -1;
    let least = REACH * REACH;
    for (let point = 0; point < count; point++) {
      const [left, top] = place(point);
      const distance = (left - event.offsetX) ** 2 + (top - event.offsetY) ** 2;
      if (distance < least) {
        least = distance;
        best = point;
      }
    }
    return best;
  };

  canvas.addEventListener('mousemove', (event) => {
    const point = nearest(event);
    if (point >= 0) events.over(point);
  });
  canvas.addEventListener('click', (event) => {
    const point = nearest(event);
    if (point >= 0) events.chosen(point);
  });
  new ResizeObserver(draw).observe(canvas);

  return {
    async colour(newCategories, newColours) {
      categories = newCategories.slice();
      colours = newColours;
      highlighted = -1;
      draw();
    },
    highlight(category) {
      highlighted = category;
      draw();
    },
    screenPosition: place,
    zoom: null,
    reset: draw,
    refreshScheme: draw,
  };
}
