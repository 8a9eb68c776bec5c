"""What calls show of repositories: where work is, its commits and tags, what is not out, states of tickets."""
