/**
 * The heap sizes that Node chooses in the containers of deploy/compose.yml, and the malloc settings of deploy/Dockerfile. Without
 * them, Node would use gigabytes on the machine that runs the proof.
 */
const malloc = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' }

export const deploymentMemorySettings = {
  api: { NODE_OPTIONS: '--max-heap-size=291', ...malloc },
  worker: { NODE_OPTIONS: '--max-heap-size=355', ...malloc },
}
