#!/usr/bin/env node
// npm only links a command whose file exists when packages are installed, and in a checkout that is before the build.
await import(new URL('../dist/colophon.mjs', import.meta.url).href)
