import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig, loadEnv } from 'vite'

const apiPaths = ['/healthz', '/readyz', '/openapi.json', '/reference', '/errors', '/docs', '/clients', '/v1', '/v2']

export default defineConfig(({ mode }) => {
  const { COLOPHON_URL = 'http://localhost:8080' } = loadEnv(mode, import.meta.dirname, 'COLOPHON_')
  return {
    plugins: [react()],
    resolve: { conditions: ['colophon-source', ...defaultClientConditions] }, // uses the source of the SDK, so that it need not be built
    build: {
      assetsInlineLimit: 0, // data: URLs would require an exception in the content security policy
      modulePreload: { polyfill: false },
      rolldownOptions: {
        // Modules that five or more pages share go into one file. By default there were thirty, and a browser fetches six at a
        // time (tried: 45 files for the first page, now 11, and 10 KB less). With a lower count, the file would contain modules
        // that the first page does not need.
        output: {
          codeSplitting: { groups: [{ name: 'shared', test: /node_modules|src\/(app|shown)/, minShareCount: 5 }] },
        },
      },
      license: { fileName: 'licenses.md' }, // the licenses of bundled packages require that their texts are distributed, too
    },
    server: { proxy: Object.fromEntries(apiPaths.map((path) => [path, COLOPHON_URL])) },
  }
})
