import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig, loadEnv } from 'vite'

const apiPaths = ['/healthz', '/readyz', '/openapi.json', '/reference', '/v1', '/v2']

export default defineConfig(({ mode }) => {
  const { COLOPHON_URL = 'http://localhost:8080' } = loadEnv(mode, import.meta.dirname, 'COLOPHON_')
  return {
    plugins: [react()],
    resolve: { conditions: ['colophon-source', ...defaultClientConditions] }, // the client's source: no build of it needed
    build: {
      assetsInlineLimit: 0, // data: URLs would need a hole in the content security policy
      modulePreload: { polyfill: false },
      rolldownOptions: {
        // What many pages share is one file: by itself it became thirty, and a browser asks for six at a time (tried: 45 files for
        // the first page, now 11, and 10 KB less). With what few share it would grow by what a first load does not need.
        output: {
          codeSplitting: { groups: [{ name: 'shared', test: /node_modules|src\/(app|shown)/, minShareCount: 5 }] },
        },
      },
      license: { fileName: 'licenses.md' }, // what is bundled is passed on, and its licences ask to come along
    },
    server: { proxy: Object.fromEntries(apiPaths.map((path) => [path, COLOPHON_URL])) },
  }
})
