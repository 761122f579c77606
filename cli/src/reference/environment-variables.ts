/** The environment variables of every command. Help and man page show this table. */
export const environmentVariables: readonly (readonly [name: string, meaning: string])[] = [
  ['COLOPHON_URL', 'URL of the instance'],
  ['COLOPHON_API_KEY', 'API key; used instead of the stored one'],
  ['COLOPHON_PROJECT_ID', 'ID of the project; by default that of the API key'],
  ['NO_COLOR', 'no colors, if it is not empty'],
]
