/** Starts a runner from the Colophon folder on its machine, with the Node.js version that `./setup` installs there. */
export const buildRunnerCommand = (gatewayUrl: string | null, token: string): string =>
  [
    `COLOPHON_GATEWAY_URL=${gatewayUrl ?? 'https://colophon-gateway.example.com:8090'}`,
    `COLOPHON_RUNNER_TOKEN=${token}`,
    'node_modules/.bin/node server/src/main/colophon-server.ts runner',
  ].join(' \\\n  ')
