/** How Changesets writes a change into CHANGELOG.md: its text, as a line of a list. */
export default {
  getReleaseLine: ({ summary }) => Promise.resolve(`- ${summary.trim().replaceAll(/\n(?=.)/g, "\n  ")}`),
  getDependencyReleaseLine: () => Promise.resolve(""),
};
