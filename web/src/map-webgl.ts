import createScatterplot from 'regl-scatterplot';
import { cssColour, prefersStillness } from './dom';
import type { MapEvents, MapPoints, MapView } from './map-view';

// Asked for here too, because the scatter plot would write a warning for each one that is missing.
const NEEDED = ['OES_texture_float', 'OES_element_index_uint', 'WEBGL_color_buffer_float', 'EXT_float_blend'];
// Known to the library but not to its types: no key starts a lasso or turns the map.
const NO_KEYS = { actionKeyMap: {} };
const HOME_DISTANCE = 1.08;

export function hasWebgl(): boolean {
  try {
    const gl = document.createElement('canvas').getContext('webgl');
    const able = gl !== null && NEEDED.every((extension) => gl.getExtension(extension) !== null);
    gl?.getExtension('WEBGL_lose_context')?.loseContext();
    return able;
  } catch {
    return false;
  }
}

function pointSize(count: number): number {
  return Math.max(3, Math.min(8, Math.round(450 / Math.sqrt(count))));
}

export async function webglMap(canvas: HTMLCanvasElement, points: MapPoints, events: MapEvents): Promise<MapView> {
  const count = points.x.length;
  const normalOpacity = count > 20000 ? 0.6 : 0.85;
  const plot = createScatterplot({
    canvas,
    width: 'auto',
    height: 'auto',
    aspectRatio: 1,
    cameraDistance: HOME_DISTANCE,
    backgroundColor: cssColour('--map'),
    pointSize: pointSize(count),
    pointSizeSelected: 2,
    pointOutlineWidth: 2,
    showReticle: false,
    lassoInitiator: false,
    lassoOnLongPress: false,
    ...NO_KEYS,
    colorBy: 'valueZ',
    opacityBy: 'valueZ',
    opacity: [normalOpacity, normalOpacity],
  });
  let colours: string[] = [];

  const paint = (highlighted: number) =>
    plot.set({
      pointColor: colours.map((colour, at) => (highlighted < 0 || at === highlighted ? colour : cssColour('--faint'))),
      pointColorActive: cssColour('--ink'),
      pointColorHover: cssColour('--ink'),
      opacity: colours.map((_, at) => (highlighted < 0 ? normalOpacity : at === highlighted ? 1 : 0.35)),
    });

  const moveTo = (distance: number, target: [number, number]) =>
    void plot.zoomToLocation(target, distance, { transition: !prefersStillness(), transitionDuration: 250 });

  plot.subscribe('pointOver', (point) => events.over(point));
  plot.subscribe('select', ({ points: chosen }) => {
    const point = chosen[0];
    plot.deselect({ preventEvent: true });
    if (point !== undefined) events.chosen(point);
  });

  return {
    async colour(categories, newColours) {
      // One colour alone would be taken for "the same colour for all", so there are always two.
      colours = newColours.length > 1 ? newColours : [...newColours, ...newColours];
      await paint(-1);
      await plot.draw({ x: points.x, y: points.y, z: Float32Array.from(categories) }, { zDataType: 'categorical' });
    },
    highlight: (category) => void paint(category),
    screenPosition: (point) => plot.getScreenPosition(point),
    zoom: (factor) => moveTo(plot.get('cameraDistance') / factor, plot.get('cameraTarget')),
    reset: () => moveTo(HOME_DISTANCE, [0, 0]),
    refreshScheme: () => void plot.set({ backgroundColor: cssColour('--map') }),
  };
}
