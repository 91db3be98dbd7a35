// Package owners reads CODEOWNERS: who has to review which files.
//
// It promises to read the file as GitHub and GitLab do: the last pattern that matches
// decides, in each section by itself, and a file that holds more than [MaxBytes] or
// [MaxRules] is an error. A line that can't be read owns nothing, as on GitHub.
//
// It doesn't know whether a review by owners is required: the settings of the repository
// decide that.
//
// https://docs.github.com/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners
// and https://docs.gitlab.com/user/project/codeowners/reference/
package owners
