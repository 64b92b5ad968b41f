-- Stacks, by stack_id: all frames (the innermost first), one frame as text (0 is the top frame), the whole stack as a line
-- for flame graphs (the outermost first), and whether the class and method of a frame match a regular expression.
CREATE OR REPLACE MACRO frames(id) AS (SELECT any_value("@s".frames) FROM _stacks "@s" WHERE "@s".stack_id = id);
CREATE OR REPLACE MACRO frame_text(f) AS f.class || '.' || f.method || CASE WHEN f.line > 0 THEN ':' || f.line ELSE '' END;
CREATE OR REPLACE MACRO frame(id, number) AS frame_text(frames(id)[number + 1]);
CREATE OR REPLACE MACRO stack_text(id) AS array_to_string(list_reverse(list_transform(frames(id), lambda f: f.class || '.' || f.method)), ';');
CREATE OR REPLACE MACRO has_frame(id, pattern) AS coalesce(list_any_value(list_filter(list_transform(frames(id), lambda f: regexp_matches(f.class || '.' || f.method, pattern)), lambda b: b)), false);
