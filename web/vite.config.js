import { defineConfig } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

// One page a build: `vite build` makes the report, `vite build --mode reproduction` the page of the paper's figures.
export default defineConfig(({ mode }) => ({
  base: './',
  plugins: [viteSingleFile()],
  build: {
    target: 'es2022',
    chunkSizeWarningLimit: 4096,
    reportCompressedSize: false,
    ...(mode === 'reproduction' ? { emptyOutDir: false, rollupOptions: { input: 'reproduction.html' } } : {}),
  },
}));
