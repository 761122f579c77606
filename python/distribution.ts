/**
 * The one setting for the name under which the Python client is distributed. People import `colophon_client`, whatever this is.
 *
 * Nobody owns the name on PyPI yet, so no page tells people to install it by its name: it could be someone else's. Each instance
 * serves its own client instead, and a requirements file with its URL at `pythonRequirementsPath`.
 */
export const pythonDistributionName = 'colophon-client'

/** Where an instance serves the requirements file. Stable: people have it in their scripts. */
export const pythonRequirementsPath = '/clients/python.txt'
