/** A way to draw the map: with WebGL where there is one, else on a plain canvas. */
export interface MapView {
  /** Gives each point a category and each category a colour; redraws. */
  colour(categories: Uint16Array, colours: string[]): Promise<void>;
  /** Makes one category stand out, or none of them (-1). */
  highlight(category: number): void;
  /** Where a point is drawn, in pixels of the page from the corner of the canvas. */
  screenPosition(point: number): [number, number] | undefined;
  /** Brings the map nearer (factor above 1) or further away; null where the view cannot. */
  zoom: ((factor: number) => void) | null;
  reset(): void;
  refreshScheme(): void;
}

export interface MapEvents {
  over(point: number): void;
  chosen(point: number): void;
}

/** Positions over the square from -1 to 1, y upwards. */
export interface MapPoints {
  x: Float32Array;
  y: Float32Array;
}
