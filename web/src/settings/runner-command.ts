/** What is typed on the runner's machine, in a checkout of Colophon. */
export const runnerCommand = (gatewayUrl: string | null, token: string): string =>
  [
    `COLOPHON_GATEWAY_URL=${gatewayUrl ?? 'https://colophon-gateway.example.com:8090'}`,
    `COLOPHON_RUNNER_TOKEN=${token}`,
    'node server/src/main/colophon-server.ts runner',
  ].join(' \\\n  ')
