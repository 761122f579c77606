/** Sites that consist of one page and an example of the docs. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface Framework {
  id: string
  /** From npm, with exact versions. */
  packages: readonly string[]
  files: Readonly<Record<string, string>>
  /** Programs of the packages, with their arguments. */
  build: readonly (readonly string[])[]
  start(port: string): readonly string[]
}

const docs = join(import.meta.dirname, '../../docs')
const guide = readFileSync(join(docs, 'views.md'), 'utf8')
const readExample = (name: string) => readFileSync(join(docs, 'examples', name), 'utf8')

/** The block that begins with the path of its file, with the example for Node that it imports. */
function copyBlock(path: string): Record<string, string> {
  const [, block] = guide.split(`\`\`\`js\n// ${path}\n`)
  const [code] = block?.split('```') ?? []
  const [, imported] = code?.match(/from '(.*node\.mjs)'/) ?? []
  if (code === undefined || imported === undefined) throw new Error(`docs/views.md has no block for ${path}`)
  return { [path]: code, [join(dirname(path), imported)]: readExample('node.mjs') }
}

const modulePackage = { 'package.json': '{"private":true,"type":"module"}' }
const page = '<h1>Start</h1>'

export const frameworks: readonly Framework[] = [
  {
    id: 'hono',
    packages: ['hono@4.13.19', '@hono/node-server@2.1.8'],
    files: { ...modulePackage, ...copyBlock('server.js') },
    build: [],
    start: () => ['node', 'server.js'],
  },
  {
    id: 'nuxt',
    packages: ['nuxt@4.5.2'],
    files: {
      ...modulePackage,
      ...copyBlock('server/middleware/count-views.js'),
      'nuxt.config.ts': 'export default defineNuxtConfig({ telemetry: false })',
      'app/app.vue': '<template><NuxtPage /></template>',
      'app/pages/docs/start.vue': `<template>${page}</template>`,
    },
    build: [['nuxt', 'build']],
    start: () => ['node', '.output/server/index.mjs'],
  },
  {
    id: 'sveltekit',
    packages: [
      '@sveltejs/kit@3.2.0',
      '@sveltejs/adapter-node@6.0.1',
      '@sveltejs/vite-plugin-svelte@7.3.1',
      'svelte@5.57.3',
      'vite@8.3.8',
    ],
    files: {
      ...modulePackage,
      ...copyBlock('src/hooks.server.js'),
      'vite.config.js': `import adapter from '@sveltejs/adapter-node'
import { sveltekit } from '@sveltejs/kit/vite'

export default { plugins: [sveltekit({ adapter: adapter() })] }
`,
      'src/app.html': '<!doctype html><html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>',
      'src/routes/docs/start/+page.svelte': page,
    },
    build: [['vite', 'build']],
    start: () => ['node', 'build'],
  },
  {
    id: 'astro',
    packages: ['astro@7.3.5', '@astrojs/node@11.1.6'],
    files: {
      ...modulePackage,
      ...copyBlock('src/middleware.js'),
      'astro.config.mjs': `import node from '@astrojs/node'
import { defineConfig } from 'astro/config'

export default defineConfig({ output: 'server', adapter: node({ mode: 'standalone' }) })
`,
      'src/pages/docs/start.astro': page,
    },
    build: [['astro', 'build']],
    start: () => ['node', 'dist/server/entry.mjs'],
  },
  {
    id: 'next',
    packages: ['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1'],
    files: {
      'package.json': '{"private":true}',
      'proxy.js': readExample('next-middleware.mjs'),
      'app/layout.jsx': 'export default ({ children }) => <html lang="en"><body>{children}</body></html>',
      'app/docs/start/page.jsx': 'export default () => <h1>Start</h1>',
    },
    build: [['next', 'build']],
    start: (port) => ['next', 'start', '-H', '127.0.0.1', '-p', port],
  },
]
