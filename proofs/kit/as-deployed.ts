/** What Node takes for itself in the containers of deploy/compose.yml, and what is in deploy/Dockerfile; here it would take gigabytes. */
const malloc = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' }

export const asDeployed = {
  api: { NODE_OPTIONS: '--max-heap-size=291', ...malloc },
  worker: { NODE_OPTIONS: '--max-heap-size=355', ...malloc },
}
