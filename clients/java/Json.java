import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads and writes JSON, which the JDK does not: maps, lists, strings, Long, Double, Boolean and null. */
public final class Json {
    private static final int DEEPEST = 100;
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    public static Object read(String text) {
        Json json = new Json(text);
        Object value = json.value(0);
        json.skipSpace();
        if (json.at < text.length()) throw json.malformed();
        return value;
    }

    public static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private Object value(int depth) {
        skipSpace();
        if (depth > DEEPEST || at >= text.length()) throw malformed();
        switch (text.charAt(at)) {
            case '{':
                return object(depth);
            case '[':
                return array(depth);
            case '"':
                return string();
            default:
                int start = at;
                while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) at++;
                return word(text.substring(start, at));
        }
    }

    private Map<String, Object> object(int depth) {
        Map<String, Object> fields = new LinkedHashMap<>();
        at++;
        while (!ends('}', fields.isEmpty())) {
            skipSpace();
            String name = string();
            skipSpace();
            expect(':');
            fields.put(name, value(depth + 1));
        }
        return fields;
    }

    private List<Object> array(int depth) {
        List<Object> items = new ArrayList<>();
        at++;
        while (!ends(']', items.isEmpty())) items.add(value(depth + 1));
        return items;
    }

    /** True at the end of an object or an array; otherwise it skips the comma before the next entry. */
    private boolean ends(char end, boolean first) {
        skipSpace();
        if (at < text.length() && text.charAt(at) == end) {
            at++;
            return true;
        }
        if (!first) expect(',');
        return false;
    }

    private String string() {
        expect('"');
        StringBuilder out = new StringBuilder();
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c == '"') return out.toString();
            out.append(c == '\\' ? escaped() : c);
        }
        throw malformed();
    }

    private char escaped() {
        if (at >= text.length()) throw malformed();
        char c = text.charAt(at++);
        if (c == 'u') {
            if (at + 4 > text.length()) throw malformed();
            at += 4;
            return (char) Integer.parseInt(text.substring(at - 4, at), 16);
        }
        int index = "bfnrt\"\\/".indexOf(c);
        if (index < 0) throw malformed();
        return "\b\f\n\r\t\"\\/".charAt(index);
    }

    private Object word(String word) {
        switch (word) {
            case "true":
                return true;
            case "false":
                return false;
            case "null":
                return null;
            default:
                if (word.matches("-?[0-9]{1,18}")) return Long.valueOf(word);
                if (word.matches("-?[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)?")) return Double.valueOf(word);
                throw malformed();
        }
    }

    private void expect(char c) {
        if (at >= text.length() || text.charAt(at) != c) throw malformed();
        at++;
    }

    private void skipSpace() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
    }

    private IllegalArgumentException malformed() {
        return new IllegalArgumentException("Not JSON, at character " + at + ".");
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof Map<?, ?> fields) {
            out.append('{');
            String comma = "";
            for (Map.Entry<?, ?> field : fields.entrySet()) {
                out.append(comma);
                quote(String.valueOf(field.getKey()), out);
                out.append(':');
                write(field.getValue(), out);
                comma = ",";
            }
            out.append('}');
        } else if (value instanceof Iterable<?> items) {
            out.append('[');
            String comma = "";
            for (Object item : items) {
                out.append(comma);
                write(item, out);
                comma = ",";
            }
            out.append(']');
        } else if (value instanceof CharSequence) {
            quote(value.toString(), out);
        } else if (value == null || value instanceof Number || value instanceof Boolean) {
            out.append(value);
        } else {
            throw new IllegalArgumentException("JSON has no " + value.getClass().getName() + ".");
        }
    }

    private static void quote(String text, StringBuilder out) {
        out.append('"');
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') out.append('\\').append(c);
            else if (c < ' ') out.append(String.format("\\u%04x", (int) c));
            else out.append(c);
        }
        out.append('"');
    }
}
